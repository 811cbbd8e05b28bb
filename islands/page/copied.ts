/** Told when something has been copied, or could not be, so that a page with toasts can show one. */
export const COPIED = 'wharf:copied';
export type Copied = { copied: boolean; message: string };
