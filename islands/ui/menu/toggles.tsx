/**
 * A few choices side by side, of which one or none is in effect. Choosing the one in effect clears
 * it: `onValue` then gets undefined.
 */
export function Toggles<Value extends string>({
  label,
  options,
  value,
  onValue,
}: {
  label: string;
  options: Readonly<Record<Value, string>>;
  value: Value | undefined;
  onValue: (value: Value | undefined) => void;
}) {
  const all = Object.entries(options) as [Value, string][];
  return (
    <fieldset className="flex min-w-0 flex-wrap [&>button+button]:-ml-px">
      <legend className="sr-only">{label}</legend>
      {all.map(([option, text]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          className="relative h-9 cursor-pointer border border-edge bg-base-200 px-3 font-medium max-sm:h-10 max-sm:px-2.5 first-of-type:rounded-l-md last-of-type:rounded-r-md hover:bg-base-300 active:bg-base-300 focus-visible:z-20 aria-pressed:z-10 aria-pressed:border-primary aria-pressed:text-primary"
          onClick={() => onValue(option === value ? undefined : option)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
