/** Figures as they are read. Pure. */

/** 1234567 as 1,234,567, whatever the browser's language: the page's words are English. */
export function grouped(figure: number): string {
  return figure.toLocaleString("en-US");
}

/** Bytes in the unit that leaves a short figure: 1.4 MB. */
export function sizeOf(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let at = 0;
  let left = bytes;
  while (left >= 1000 && at < units.length - 1) {
    left /= 1000;
    at += 1;
  }
  return at === 0 ? `${grouped(bytes)} ${bytes === 1 ? "byte" : "bytes"}` : `${left.toPrecision(3)} ${units[at]}`;
}
