/** The bollard with its rope, in the colours of the theme. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="size-6 shrink-0" aria-hidden="true">
      <path
        d="M9 4.5h14a2 2 0 0 1 0 4.5h-2.6l1 15H24a1.7 1.7 0 0 1 0 3.4H8A1.7 1.7 0 0 1 8 24h2.6l1-15H9a2 2 0 0 1 0-4.5Z"
        fill="currentColor"
      />
      <path
        d="M10.4 14c3.4 2.2 7.8 2.2 11.2 0M10 18.5c3.6 2.2 8.4 2.2 12 0M22 18.5c3 .4 5 1.7 7 3.8"
        className="stroke-primary"
        fill="none"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  );
}
