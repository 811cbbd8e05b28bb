/**
 * Told by an island on its own element, and by the script of every page on the document's, when it
 * answers; islands/page/event-replay.ts listens.
 */
export const ALIVE = 'wharf:alive';
