/** SPEC's spinner. `label` is for those who do not see it turn. */
export function Spinner({ label = 'Loading' }: { label?: string }) {
  return <span role="status" aria-label={label} className="loading loading-spinner loading-sm" />;
}
