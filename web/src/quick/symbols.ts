/** Which symbols of a file fit what is typed. Pure. */
import type { Methods } from "../api/types";

export type Symbol = Methods["symbols"]["answer"]["symbols"][number];

export type Fitting = { symbol: Symbol; marks: Set<number> };

/** Of nothing all, in the file's order; else those with the letters in their names, names that begin so first. */
export function fitting(symbols: Symbol[], query: string): Fitting[] {
  const letters = query.replace(/\s/g, "").toLowerCase();
  if (!letters) return symbols.map((symbol) => ({ symbol, marks: new Set() }));
  const found = symbols.flatMap((symbol) => {
    const fit = fitOf(symbol.name, letters);
    return fit ? [{ symbol, ...fit }] : [];
  });
  return found.sort((one, two) => one.rank - two.rank); // stable: else the file's order
}

/** Where the letters stand: side by side if they do anywhere, else one after the other. */
function fitOf(name: string, letters: string): { rank: number; marks: Set<number> } | null {
  const low = name.toLowerCase();
  const at = low.indexOf(letters);
  if (at >= 0) return { rank: at ? 1 : 0, marks: new Set(Array.from(letters, (_, place) => at + place)) };
  const marks = new Set<number>();
  let from = 0;
  for (const letter of letters) {
    const place = low.indexOf(letter, from);
    if (place < 0) return null;
    marks.add(place);
    from = place + 1;
  }
  return { rank: 2, marks };
}
