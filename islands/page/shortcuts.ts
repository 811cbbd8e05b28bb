import { SHORTCUTS } from '../../server/contract/shortcuts.ts';

const KEY = 'shortcuts';
const OFF = 'off';
/** Where keys are text, or belong to what is open. */
const TAKES_KEYS =
  'input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, [contenteditable], [popover], [role=menu], media-controller';

/** How long a 'g' waits for the key that belongs to it, in milliseconds. */
const WAIT = 1_000;

/**
 * Keys that press what has them as `data-shortcut`, or focus it where it is a field: not while
 * somebody types, and not behind a dialog. They can be turned off (WCAG 2.1.4): whoever speaks to
 * their computer would press them by talking.
 */
export function listenForShortcuts() {
  const next = keySequence();
  document.addEventListener('keydown', (event) => {
    const { key, target, timeStamp } = event;
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    if (event.ctrlKey || event.metaKey || event.altKey || key === 'Shift' || isOff()) return;
    if (target instanceof Element && target.closest(TAKES_KEYS)) return;
    if (document.querySelector('dialog[open]')) return;
    const keys = next(key, timeStamp);
    const isDone = keys === SHORTCUTS.help.keys ? showShortcuts() : press(keys);
    if (isDone) event.preventDefault();
  });
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches('[data-shortcuts-switch]')) return;
    try {
      if (target.checked) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, OFF);
    } catch {
      // Forbidden storage: they stay as they are, and the box says so when it is opened again.
    }
  });
}

/** Opens the dialog that lists them; false where the page has none. */
export function showShortcuts(): boolean {
  const dialog = document.querySelector<HTMLDialogElement>('#shortcuts');
  const box = dialog?.querySelector<HTMLInputElement>('[data-shortcuts-switch]');
  if (box) box.checked = !isOff();
  dialog?.showModal();
  return dialog !== null;
}

/** What the page has of its own comes after what the bar has. */
function press(keys: string): boolean {
  const found = [
    ...document.querySelectorAll<HTMLElement>(`[data-shortcut="${CSS.escape(keys)}"]`),
  ].findLast((element) => element.checkVisibility());
  if (found instanceof HTMLInputElement) {
    found.focus();
    found.select();
  } else found?.click();
  return found !== undefined;
}

function isOff(): boolean {
  try {
    return localStorage.getItem(KEY) === OFF;
  } catch {
    return false;
  }
}

/** Follows the keys that are pressed: answers each as a shortcut, 'g o' where a 'g' came just before. */
export function keySequence() {
  let leading = Number.NEGATIVE_INFINITY;
  return (key: string, now: number): string => {
    const isSecond = now - leading < WAIT;
    leading = key === 'g' && !isSecond ? now : Number.NEGATIVE_INFINITY;
    return isSecond ? `g ${key}` : key;
  };
}
