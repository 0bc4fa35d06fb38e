/** What acts, hides or turns text round, made visible. For texts that come as they are; most are escaped already. */
const HIDDEN =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

export function escaped(text: string): string {
  return text.replace(/\r(?=\n|$)/g, "").replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
  });
}
