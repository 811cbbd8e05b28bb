const KEY = 'flash-message';
export type FlashMessage = { kind: 'success' | 'error'; text: string };

/** Stores a toast for the next page of this tab. It uses no library. */
export function setFlashMessage(message: FlashMessage) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(message));
  } catch {
    // If storage is forbidden, the next page shows no toast.
  }
}

/** Returns the previous page's toast and removes it, or null. */
export function takeFlashMessage(): FlashMessage | null {
  try {
    const stored = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return JSON.parse(stored ?? 'null');
  } catch {
    // The storage is forbidden or was damaged.
    return null;
  }
}
