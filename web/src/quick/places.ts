/** Places in a text as the page counts them, of those that the server counts in bytes. Pure. */
const BYTES = new TextEncoder();

/** `positions` are byte offsets into `path` as UTF-8. */
export function placesOf(path: string, positions: number[]): Set<number> {
  const wanted = new Set(positions);
  const places = new Set<number>();
  let [at, bytes] = [0, 0];
  for (const character of path) {
    if (wanted.has(bytes)) places.add(at);
    at += character.length;
    bytes += BYTES.encode(character).length;
  }
  return places;
}
