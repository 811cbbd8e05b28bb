type Choice<Value> = { value: Value; label: string; text: string };

/** Buttons side by side of which one is chosen, each with what it means. */
export function Choices<Value extends string>({
  legend,
  choices,
  chosen,
  disabled,
  onChoose,
}: {
  legend: string;
  choices: Choice<Value>[];
  chosen: Value;
  disabled: boolean;
  onChoose: (value: Value) => void;
}) {
  return (
    <fieldset>
      <legend className="sr-only">{legend}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {choices.map(({ value, label, text }) => (
          <button
            key={value}
            type="button"
            aria-pressed={chosen === value}
            aria-disabled={disabled || undefined}
            className="flex cursor-pointer flex-col rounded-md border border-edge px-3 py-2 text-left active:bg-base-300 hover:border-quiet aria-pressed:border-primary"
            onClick={() => onChoose(value)}
          >
            <span className={chosen === value ? 'font-medium text-primary' : 'font-medium'}>
              {label}
            </span>
            <span className="mt-0.5 text-quiet">{text}</span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}
