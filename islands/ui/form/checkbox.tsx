import { useEffect, useId, useRef } from 'react';

/** `indeterminate` is neither: what it stands for is partly so. */
export type Checked = boolean | 'indeterminate';

/** What a form sends for it: 'yes', or empty. */
export const yesOrEmpty = (checked: Checked) => (checked === true ? 'yes' : '');

/** What a checkbox over several others shows: it is checked when all are, and neither when some are. */
export const allOrSome = (checked: boolean[]): Checked => {
  if (checked.every(Boolean)) return true;
  return checked.some(Boolean) ? 'indeterminate' : false;
};

/** A checkbox with three states, its label beside it and help below. */
export function CheckboxField(props: {
  label: string;
  help: string;
  checked: Checked;
  onChecked: (checked: boolean) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  // The browser has no attribute for the third state; it tells screen readers 'mixed' by itself.
  useEffect(() => {
    if (input.current) input.current.indeterminate = props.checked === 'indeterminate';
  }, [props.checked]);
  return (
    <div className="relative flex items-start gap-3">
      <input
        ref={input}
        id={id}
        type="checkbox"
        className="checkbox checkbox-sm checkbox-primary relative z-1 mt-px"
        aria-describedby={`${id}-help`}
        checked={props.checked === true}
        onChange={(event) => props.onChecked(event.target.checked)}
      />
      <div>
        <label
          htmlFor={id}
          // All of it is pressed, its help too.
          className="cursor-pointer font-medium after:absolute after:inset-0"
        >
          {props.label}
        </label>
        <p id={`${id}-help`} className="text-xs text-quiet">
          {props.help}
        </p>
      </div>
    </div>
  );
}
