const KEY = 'flash-message';
export type FlashMessage = { kind: 'success' | 'error'; text: string };

/** Leaves a toast for the page that is loaded next in this tab. It needs no library. */
export function setFlashMessage(message: FlashMessage) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(message));
  } catch {
    // Storage is forbidden: the next page comes without the toast.
  }
}

/** What the previous page left, once. */
export function takeFlashMessage(): FlashMessage | null {
  try {
    const left = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return JSON.parse(left ?? 'null');
  } catch {
    // Forbidden or damaged storage says nothing.
    return null;
  }
}
