import { notify } from './notify.ts';

const KEY = 'parting-toast';
type Parting = { kind: 'success' | 'error'; text: string };

/** Leaves a toast for the page that is loaded next in this tab. */
export function leaveToast(parting: Parting) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(parting));
  } catch {
    // Storage is forbidden: the next page comes without the toast.
  }
}

/** Shows, once, what the previous page left. */
export function showLeftToast() {
  try {
    const left = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    if (!left) return;
    const { kind, text } = JSON.parse(left) as Parting;
    notify[kind](text);
  } catch {
    // Forbidden or damaged storage says nothing.
  }
}
