import { SHORTCUTS } from '../../server/contract/shortcuts.ts';

const STORAGE_KEY = 'shortcuts';
const OFF = 'off';
/** The elements that handle keys themselves. */
const HANDLES_KEYS =
  'input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, [contenteditable], [popover], [role=menu], media-controller';

/** How long a 'g' waits for its second key. */
const SEQUENCE_TIMEOUT_MS = 1_000;

/**
 * Makes keys click the element with that `data-shortcut`, or focus it if it is a field. They do
 * nothing while the user types or a dialog is open. They can be turned off (WCAG 2.1.4), because
 * speech input would trigger them.
 */
export function listenForShortcuts() {
  const next = createKeySequence();
  document.addEventListener('keydown', (event) => {
    const { key, target, timeStamp } = event;
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    if (event.ctrlKey || event.metaKey || event.altKey || key === 'Shift' || areShortcutsOff())
      return;
    if (target instanceof Element && target.closest(HANDLES_KEYS)) return;
    if (document.querySelector('dialog[open]')) return;
    const keys = next(key, timeStamp);
    const isDone = keys === SHORTCUTS.help.keys ? showShortcuts() : press(keys);
    if (isDone) event.preventDefault();
  });
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches('[data-shortcuts-switch]')) return;
    try {
      if (target.checked) localStorage.removeItem(STORAGE_KEY);
      else localStorage.setItem(STORAGE_KEY, OFF);
    } catch {
      // If storage is forbidden, the setting can't change, which the dialog shows when it is reopened.
    }
  });
}

/** Opens the dialog that lists the shortcuts. Returns false if the page has none. */
export function showShortcuts(): boolean {
  const dialog = document.querySelector<HTMLDialogElement>('#shortcuts');
  const box = dialog?.querySelector<HTMLInputElement>('[data-shortcuts-switch]');
  if (box) box.checked = !areShortcutsOff();
  dialog?.showModal();
  return dialog !== null;
}

/**
 * Clicks or focuses the element of a shortcut. The last one is the page's own, not the top bar's. An item
 * of a closed menu counts, although it is not visible.
 */
function press(keys: string): boolean {
  const element = [
    ...document.querySelectorAll<HTMLElement>(`[data-shortcut="${CSS.escape(keys)}"]`),
  ].findLast((element) => element.checkVisibility() || element.role === 'menuitem');
  if (element instanceof HTMLInputElement) {
    element.focus();
    element.select();
  } else element?.click();
  return element !== undefined;
}

/** Whether the keys are turned off in this browser. */
export function areShortcutsOff(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) === OFF;
  } catch {
    return false;
  }
}

/** Returns a function that turns each key into a shortcut, such as 'g o' if a 'g' came just before. */
export function createKeySequence() {
  let leading = Number.NEGATIVE_INFINITY;
  return (key: string, now: number): string => {
    const isSecond = now - leading < SEQUENCE_TIMEOUT_MS;
    leading = key === 'g' && !isSecond ? now : Number.NEGATIVE_INFINITY;
    return isSecond ? `g ${key}` : key;
  };
}
