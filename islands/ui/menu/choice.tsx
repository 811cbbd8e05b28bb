import Check from 'lucide-react/icons/check';
import ChevronDown from 'lucide-react/icons/chevron-down';
import { useId, useRef } from 'react';
import { moveFocus, showMenu } from './menu.tsx';

/**
 * A dropdown of a few options, one of which is in effect. `onSelect` gets every choice, also that
 * of the option in effect: what that means, the caller says.
 */
export function Choice<Value extends string>({
  label,
  options,
  value,
  onSelect,
}: {
  label: string;
  options: Readonly<Record<Value, string>>;
  value: Value;
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
        className="btn justify-between bg-base-200 font-medium"
        aria-haspopup="menu"
        aria-controls={id}
        aria-label={`${label}: ${options[value]}`}
        onClick={open}
      >
        {options[value]}
        <ChevronDown size={16} aria-hidden className="text-quiet" />
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
