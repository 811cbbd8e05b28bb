import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';

/** `openBy` opens the menu on a right click or the menu key. */
export type MenuHandle = { openBy: (event: MouseEvent) => void };

/**
 * A button with a menu of actions, which is a popover. The Tab key skips a button without `isStop`, if
 * other keys lead to it.
 */
export function Menu({
  ref,
  label,
  isStop = true,
  children,
}: {
  ref?: Ref<MenuHandle>;
  label: string;
  isStop?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  /** A long list has many menus, so their items are rendered on first use. */
  const [isUsed, setUsed] = useState(false);

  const show = (position: MenuPosition) => {
    flushSync(() => setUsed(true));
    showMenu(panel.current, position);
  };
  const open = () => {
    const at = button.current?.getBoundingClientRect();
    if (at) show({ top: at.top - 4, bottom: at.bottom + 4, right: at.right });
  };
  const openBy = (event: MouseEvent) => {
    // Inside the menu and on selected text the user wants the browser's own menu.
    if (panel.current?.contains(event.target as Node) || getSelection()?.type === 'Range') return;
    event.preventDefault();
    const { clientX: left, clientY: y } = event;
    // A popover returns the focus to the element that had it when it was opened.
    button.current?.focus({ preventScroll: true });
    show({ top: y, bottom: y, left });
  };
  useImperativeHandle(ref, () => ({ openBy }));

  return (
    <>
      <button
        ref={button}
        type="button"
        tabIndex={isStop ? undefined : -1}
        className="btn btn-ghost btn-square btn-sm"
        aria-label={label}
        aria-haspopup="menu"
        aria-controls={id}
        onClick={open}
      >
        <Dots />
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
        {isUsed && children}
      </div>
    </>
  );
}

/** lucide's icon as one element instead of four, because a long list draws it for every row. */
const Dots = () => (
  <svg
    width="16"
    height="16"
    viewBox="0 0 24 24"
    stroke="currentColor"
    strokeWidth="4"
    strokeLinecap="round"
    aria-hidden="true"
  >
    <path d="M12 5h.01M12 12h.01M12 19h.01" />
  </svg>
);

/** One action of a menu. It is red if it is a `danger`. A `shortcut` works while the menu is closed. */
export function MenuItem({
  onSelect,
  danger = false,
  shortcut,
  children,
}: {
  onSelect: () => void;
  danger?: boolean;
  shortcut?: string;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      data-shortcut={shortcut}
      className={`menu-item ${danger ? 'text-error' : ''}`}
      onClick={onSelect}
    >
      {children}
    </button>
  );
}

type MenuPosition = { top: number; bottom: number } & ({ left: number } | { right: number });

/** Opens a menu below a place, or above it if there is no room, and focuses its first item. */
export function showMenu(menu: HTMLElement | null, position: MenuPosition) {
  if (!menu) return;
  menu.showPopover();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const idealLeft = 'left' in position ? position.left : position.right - width;
  const left = Math.max(8, Math.min(idealLeft, innerWidth - width - 8));
  const fits = position.bottom + height + 8 < innerHeight;
  const top = Math.max(8, fits ? position.bottom : position.top - height);
  menu.style.inset = `${top}px auto auto ${left}px`;
  items(menu)[0]?.focus();
}

const items = (menu: HTMLElement) => [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]')];

/** Moves the focus by arrows, Home and End, as in the ARIA menu pattern. Tab closes the menu. */
export function moveFocus(event: KeyboardEvent<HTMLElement>) {
  if (event.key === 'Tab') event.currentTarget.hidePopover();
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
