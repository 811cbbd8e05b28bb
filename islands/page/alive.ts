/** Told by an island, on its own element, when it answers; islands/page/early.ts listens. */
export const ALIVE = 'wharf:alive';
