/** A status with a dot, in green if it is `good` and otherwise in red. */
export function StatusMark({ good, text }: { good: boolean; text: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 font-medium ${good ? 'text-success' : 'text-error'}`}
    >
      <span className="size-1.5 shrink-0 rounded-full bg-current" aria-hidden="true" />
      {text}
    </span>
  );
}
