/** Icons of 16 by 16, drawn with lines in the colour of the text. They say nothing to screen readers. */
const PATHS = {
  files: "M2.5 3.5a1 1 0 0 1 1-1h3l1.5 2h4.5a1 1 0 0 1 1 1v6.5a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1z",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9zM10.3 10.3l3.2 3.2",
  changes: "M4 3v10M4 3a1.4 1.4 0 1 0 .01 0M12 6.5a1.4 1.4 0 1 0 .01 0M4 10c0-2 8 0 8-2.2",
  git: "M8 1.5v4M8 10.5v4M8 5.5a2.5 2.5 0 1 0 .01 0",
  history: "M2.8 8a5.3 5.3 0 1 0 1.7-3.9M4.4 1.8v2.5h2.5M8 5.2V8l2 1.4",
  inbox: "M2.5 9.5l1.8-6h7.4l1.8 6v3a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1zM2.5 9.5h3.2l.8 1.6h3l.8-1.6h3.2",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.5l3.2 3.2L13 5",
  warning: "M8 2.2l6.2 11H1.8zM8 6.5v3.2M8 11.4v.1",
  question: "M8 1.8a6.2 6.2 0 1 1 0 12.4a6.2 6.2 0 0 1 0-12.4M6.2 6.3a1.8 1.8 0 1 1 2.5 1.7c-.5.2-.7.5-.7 1M8 11.2v.1",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6a2.8 2.8 0 0 1 0-5.6M8 1.2v1.4M8 13.4v1.4M1.2 8h1.4M13.4 8h1.4M3.2 3.2l1 1M11.8 11.8l1 1M3.2 12.8l1-1M11.8 4.2l1-1",
  moon: "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
  system: "M2 3h12v8H2zM5.5 13.5h5M8 11v2.5",
  leave: "M6.5 2.5h-3a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1h3M6.5 8h7M10.8 5.2L13.5 8l-2.7 2.8",
  chevron: "M6 4l4 4l-4 4",
  "file-new": "M4 2h5l3 3v9H4zM8 7v4M6 9h4",
  "folder-new": "M2 4a1 1 0 0 1 1-1h3l1.5 1.7H13a1 1 0 0 1 1 1V12a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM8 7v4M6 9h4",
  folder: "M2 4a1 1 0 0 1 1-1h3l1.5 1.7H13a1 1 0 0 1 1 1V12a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z",
  pen: "M3 13l.6-2.6l7.2-7.2l2 2l-7.2 7.2zM9.6 4.4l2 2",
  settings: "M2.5 4.5h6M12 4.5h1.5M2.5 11.5h1.5M7.5 11.5h6M10.2 2.9v3.2M5.8 9.9v3.2",
  first: "M4 3.5v9M12 4L7.5 8l4.5 4",
  previous: "M10 4L6 8l4 4",
  last: "M12 3.5v9M4 4l4.5 4L4 12",
  binary: "M4 2h5l3 3v9H4zM6.2 7.2v1.6h1.2V7.2zM9 6.8V9M6.6 10.4v2.2M8.6 10.6v1.6h1.2v-1.6z",
  back: "M13 8H3.5M7 4.2L3.2 8L7 11.8",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
