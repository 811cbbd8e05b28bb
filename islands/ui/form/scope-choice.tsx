/** What one of the scopes allows. */
type ScopeOption<Scope> = { scope: Scope; label: string; text: string };

/** The scopes side by side, at most one of which is chosen. Choosing it again clears it. */
export function ScopeChoice<Scope extends string>({
  options,
  value,
  onValue,
}: {
  options: ScopeOption<Scope>[];
  value: Scope | null;
  onValue: (scope: Scope | null) => void;
}) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">Scope</legend>
      <div className={`grid gap-2 ${options.length === 2 ? 'sm:grid-cols-2' : 'sm:grid-cols-3'}`}>
        {options.map(({ scope, label, text }) => (
          <button
            key={scope}
            type="button"
            aria-pressed={value === scope}
            className="flex cursor-pointer flex-col rounded-md border border-edge px-3 py-2 text-left hover:border-quiet active:bg-base-300 aria-pressed:border-primary"
            onClick={() => onValue(value === scope ? null : scope)}
          >
            <span className={value === scope ? 'font-medium text-primary' : 'font-medium'}>
              {label}
            </span>
            <span className="mt-0.5 block text-pretty text-quiet">{text}</span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}
