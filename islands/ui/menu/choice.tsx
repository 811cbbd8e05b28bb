import Check from 'lucide-react/icons/check';
import ChevronDown from 'lucide-react/icons/chevron-down';
import { type ReactNode, useId, useRef } from 'react';
import { moveFocus, showMenu } from './menu.tsx';

/**
 * A dropdown with a few options, one of which is selected. `onSelect` gets every choice, even of the
 * selected option, as the caller may clear it.
 * @param props.icon what the button shows on a phone instead of the selected option
 */
export function Choice<Value extends string>({
  label,
  options,
  value,
  icon,
  onSelect,
}: {
  label: string;
  options: Readonly<Record<Value, string>>;
  value: Value;
  icon?: ReactNode;
  onSelect: (value: Value) => void;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const all = Object.entries(options) as [Value, string][];

  const open = () => {
    const at = button.current?.getBoundingClientRect();
    if (!at) return;
    showMenu(panel.current, { top: at.top - 4, bottom: at.bottom + 4, left: at.left });
    panel.current?.querySelector<HTMLElement>('[aria-checked=true]')?.focus();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className={`btn bg-base-200 font-medium ${icon ? 'max-sm:btn-square' : 'justify-between'}`}
        aria-haspopup="menu"
        aria-controls={id}
        aria-label={`${label}: ${options[value]}`}
        onClick={open}
      >
        {icon && <span className="sm:hidden">{icon}</span>}
        <span className={icon ? 'max-sm:hidden' : ''}>{options[value]}</span>
        <ChevronDown
          size={16}
          aria-hidden
          className={`text-quiet ${icon ? 'max-sm:hidden' : ''}`}
        />
      </button>
      <div
        ref={panel}
        id={id}
        role="menu"
        aria-label={label}
        popover="auto"
        className="menu-panel fixed"
        onKeyDown={moveFocus}
      >
        {all.map(([option, text]) => (
          <button
            key={option}
            type="button"
            role="menuitemradio"
            aria-checked={option === value}
            tabIndex={-1}
            className="menu-item justify-between"
            onClick={() => {
              panel.current?.hidePopover();
              onSelect(option);
            }}
          >
            {text}
            {option === value && <Check size={16} aria-hidden className="text-primary" />}
          </button>
        ))}
      </div>
    </>
  );
}

/**
 * A few options side by side, at most one of which is selected. Choosing the selected one clears it,
 * and `onValue` gets undefined.
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
          className="relative h-9 cursor-pointer border border-edge bg-base-200 px-2.5 font-medium max-sm:h-10 first-of-type:rounded-l-md last-of-type:rounded-r-md not-aria-pressed:hover:bg-base-300 not-aria-pressed:active:bg-base-300 focus-visible:z-20 aria-pressed:z-10 aria-pressed:border-primary aria-pressed:text-primary"
          onClick={() => onValue(option === value ? undefined : option)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
