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
  ".cm-panel.cm-search, .cm-panel.cm-dialog": {
    padding: "6px 32px 6px 12px",
    fontFamily: "var(--text)",
    "& br": { display: "block", content: '""', marginTop: "6px" },
    "& label": { display: "inline-flex", alignItems: "center", gap: "4px", margin: "0 6px 0 0", fontSize: "12px" },
    "& label, & input, & button": { verticalAlign: "middle" },
    "& form": { display: "flex", alignItems: "center", gap: "6px" },
    "& input[type=checkbox]": { margin: "0" },
  },
  ".cm-panel .cm-textfield": {
    width: "12em",
    margin: "0 6px 0 0",
    padding: "3px 8px",
    border: "1px solid var(--edge-strong)",
    borderRadius: "var(--round)",
    backgroundColor: "var(--raised)",
    fontSize: "12px",
  },
  ".cm-panel .cm-button": {
    margin: "0 6px 0 0",
    padding: "3px 10px",
    border: "1px solid var(--edge)",
    borderRadius: "var(--round)",
    background: "var(--raised)",
    fontSize: "12px",
  },
  ".cm-panel .cm-button:active": { background: "var(--sunken)" },
  ".cm-panel.cm-search [name=close], .cm-panel .cm-dialog-close": {
    top: "6px",
    right: "8px",
    minHeight: "24px",
    width: "24px",
    border: "1px solid transparent",
    borderRadius: "var(--round)",
    backgroundColor: "transparent",
    color: "var(--ink-soft)",
    fontSize: "16px",
  },
  ".cm-panel.cm-search [name=close]:hover, .cm-panel .cm-dialog-close:hover": { backgroundColor: "var(--sunken)" },
  ".cm-changes": { width: "5px" },
  ".cm-changes .cm-change-added": { borderLeft: "3px solid var(--good)" },
  ".cm-changes .cm-change-changed": { borderLeft: "3px dashed var(--accent)" },
  ".cm-changes .cm-change-removed": {
    background: "linear-gradient(to bottom left, transparent 50%, var(--bad) 50%) left top / 5px 8px no-repeat",
  },
  ".cm-collapsedLines": {
    padding: "3px 12px",
    background: "var(--sunken) !important",
    color: "var(--ink-soft) !important",
    fontFamily: "var(--text)",
    fontSize: "12px",
    "&:before, &:after": { content: '"⋯" !important' },
  },
  "&.cm-merge-b .cm-activeLine": { boxShadow: "inset 3px 0 var(--accent)" },
  "&.cm-merge-b .cm-activeLineGutter": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-changeGutter .cm-changedLineGutter": { background: "var(--good) !important" },
  "&.cm-merge-a .cm-changeGutter .cm-changedLineGutter": { background: "var(--bad) !important" },
  ".cm-deletedLineGutter": { background: "var(--bad) !important" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-wash) !important", outline: "1px solid var(--warn)" },
  ".cm-searchMatch-selected": { outline: "2px solid var(--warn)" },
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
