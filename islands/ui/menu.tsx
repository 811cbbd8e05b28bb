import EllipsisVertical from 'lucide-react/icons/ellipsis-vertical';
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';

/** A button with the actions on one thing. The browser's popover closes and layers it. */
export function Menu({ label, children }: { label: string; children: ReactNode }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  const open = () => {
    const at = button.current?.getBoundingClientRect();
    const menu = panel.current;
    if (!at || !menu) return;
    menu.showPopover();
    const below = at.bottom + menu.offsetHeight + 8 < innerHeight;
    menu.style.inset = `${below ? at.bottom + 4 : at.top - menu.offsetHeight - 4}px ${innerWidth - at.right}px auto auto`;
    items(menu)[0]?.focus();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className="btn btn-ghost btn-square btn-sm"
        aria-label={label}
        aria-haspopup="menu"
        aria-controls={id}
        onClick={open}
      >
        <EllipsisVertical size={16} aria-hidden />
      </button>
      <div
        ref={panel}
        id={id}
        role="menu"
        aria-label={label}
        popover="auto"
        className="menu-panel fixed"
        onKeyDown={moveFocus}
        onClick={() => panel.current?.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}

/** One action of a menu. */
export function MenuItem({ onSelect, children }: { onSelect: () => void; children: ReactNode }) {
  return (
    <button type="button" role="menuitem" tabIndex={-1} className="menu-item" onClick={onSelect}>
      {children}
    </button>
  );
}

const items = (menu: HTMLElement) => [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')];

/** Arrows, Home and End, as the ARIA menu pattern has them. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const all = items(event.currentTarget);
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = {
    ArrowDown: all[(at + 1) % all.length],
    ArrowUp: all.at(at - 1),
    Home: all[0],
    End: all.at(-1),
  }[event.key];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
