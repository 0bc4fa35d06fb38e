/** How code looks: the page's own colours, so that light and dark follow. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** What lets the editor's own styles in, under the page's policy. */
export function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? "";
}

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--ground)" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "12.5px", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--accent)" },
  ".cm-gutters": { backgroundColor: "var(--ground)", color: "var(--ink-soft)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--accent-wash) 45%, transparent)",
  },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-wash)",
  },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--ink)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--edge)" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-wash)", outline: "1px solid var(--warn)" },
  ".cm-selectionMatch": { backgroundColor: "var(--sunken)" },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-wash)", outline: "1px solid var(--accent)" },
  ".cm-changedLine": { backgroundColor: "var(--good-wash) !important" },
  "&.cm-merge-a .cm-changedLine": { backgroundColor: "var(--bad-wash) !important" },
  "&.cm-merge-a .cm-changedText": { background: "var(--bad-line) !important" },
  ".cm-deletedChunk": { backgroundColor: "var(--bad-wash) !important" },
  ".cm-changedText": { background: "var(--good-line) !important" },
  ".cm-deletedText": { background: "var(--bad-line) !important" },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--code-number)" },
  { tag: [tags.comment, tags.meta], color: "var(--ink-soft)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: "var(--code-name)" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], color: "var(--code-type)" },
  { tag: [tags.propertyName, tags.attributeName], color: "var(--code-name)" },
  { tag: tags.heading, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: [tags.link, tags.url], color: "var(--accent)", textDecoration: "underline" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

export const look = [theme, syntaxHighlighting(colours)];
