/*
 * Events by which the scripts of a page tell each other what happened. They are dispatched on the
 * document unless something else is said.
 */

/**
 * An island dispatches it on its own element, and the script of every page on the document's, as soon
 * as it answers; islands/page/event-replay.ts listens.
 */
export const HYDRATED_EVENT = 'wharf:hydrated';

/** Somebody is about to use an island that is hydrated lazily; dispatched on its element. */
export const HYDRATE_EVENT = 'wharf:hydrate';

/** A call has changed something on the server. */
export const CHANGED_EVENT = 'wharf:changed';

/** Something has been copied, or could not be; pages with toasts show one. */
export const COPIED_EVENT = 'wharf:copied';
export type CopiedDetail = { copied: boolean; message: string };

/** 'Logout' was pressed. A listener that would lose data prevents the default, and asks first. */
export const LOGOUT_EVENT = 'wharf:logout';

/** The socket has been down for long, or is up again. */
export const CONNECTION_EVENT = 'wharf:connection';
export type ConnectionState = 'up' | 'down';

/** Dispatches CONNECTION_EVENT. */
export const dispatchConnection = (state: ConnectionState) =>
  document.dispatchEvent(new CustomEvent<ConnectionState>(CONNECTION_EVENT, { detail: state }));

/** The balance has been loaded, in USD; null where it could not be loaded. */
export const BALANCE_EVENT = 'wharf:balance';

/** Dispatches BALANCE_EVENT; the top bar shows the balance. */
export function dispatchBalance(credit: number | null) {
  document.dispatchEvent(new CustomEvent(BALANCE_EVENT, { detail: credit }));
}
