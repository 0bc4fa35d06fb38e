/** The mark of Workroom: a W in a room. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect x="1" y="1" width="30" height="30" rx="8" />
      <path d="M7 10l4 12l5-10l5 10l4-12" />
    </svg>
  );
}
