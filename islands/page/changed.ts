/** Told when a call has changed something on the server. */
export const CHANGED = 'wharf:changed';
