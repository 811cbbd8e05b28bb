/** Told to an island that comes late, when somebody is about to use it. */
export const WANTED = 'wharf:wanted';
