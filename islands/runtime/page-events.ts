/*
 * The events through which the scripts of a page communicate. They are dispatched on the document
 * unless their comment says otherwise.
 */

/**
 * An island dispatches this event on its own element, and the page script on the document's root, as
 * soon as they handle events themselves. islands/page/event-replay.ts listens.
 */
export const HYDRATED_EVENT = 'wharf:hydrated';

/** The page can start uploads, which go on while other pages are shown. */
export const UPLOADS_EVENT = 'wharf:uploads';

/** The document shows another page; see in-page-navigation.ts. */
export const CONTENT_EVENT = 'wharf:content';

/** A script opens a page of the dashboard; see `openPage`. A listener that shows it prevents the default. */
export const OPEN_EVENT = 'wharf:open';

/** Opens a page of the dashboard by its path, in this document if that shows several. */
export function openPage(path: string) {
  const event = new CustomEvent<string>(OPEN_EVENT, { detail: path, cancelable: true });
  if (document.dispatchEvent(event)) location.assign(path);
}

/** The user is about to use a lazy island. The event is dispatched on the island's element. */
export const HYDRATE_EVENT = 'wharf:hydrate';

/** A call has changed something on the server. */
export const CHANGED_EVENT = 'wharf:changed';

/** A text has been copied or could not be copied. Pages with a toaster show a toast. */
export const COPIED_EVENT = 'wharf:copied';
export type CopiedDetail = { copied: boolean; message: string };

/** 'Logout' was pressed. A listener that would lose data prevents the default and asks first. */
export const LOGOUT_EVENT = 'wharf:logout';

/** The socket has been down for a while, or is up again. */
export const CONNECTION_EVENT = 'wharf:connection';
export type ConnectionState = 'up' | 'down';

/** Dispatches CONNECTION_EVENT. */
export const dispatchConnection = (state: ConnectionState) =>
  document.dispatchEvent(new CustomEvent<ConnectionState>(CONNECTION_EVENT, { detail: state }));

/** The balance has been loaded, in USD. It is null if it could not be loaded. */
export const BALANCE_EVENT = 'wharf:balance';

/** Dispatches BALANCE_EVENT; the top bar shows the balance. */
export function dispatchBalance(credit: number | null) {
  document.dispatchEvent(new CustomEvent(BALANCE_EVENT, { detail: credit }));
}
