import {
  SECOND,
  SESSION_ENDED_CODE,
  SOCKET_RECONNECT_DELAY_MS,
} from '../../server/contract/limits.ts';
import type { FileEvent } from '../../server/contract/wire.ts';
import { call, sessionExpired } from './api.ts';
import { dispatchConnection } from './page-events.ts';

/** A restart of the server takes less than this. */
const DOWN_AFTER_MS = 10 * SECOND;
/** A restart disconnects all pages at once, so each adds a random part of this to the delay. */
const RECONNECT_JITTER_MS = 7 * SECOND;

type Listener = { onEvent: (event: FileEvent) => void; onOpen: () => void };

/** The page's socket, which all of its islands share. */
let shared: {
  userId: string;
  isOpen: boolean;
  listeners: Set<Listener>;
  close: () => void;
} | null = null;

/**
 * Listens to the events of a user's files. `onOpen` is called when the socket is open, and again after
 * each break, because events may have been missed.
 * @returns a function that stops listening; the last one to do so closes the socket
 */
export function listenToFiles(userId: string, listener: Listener): () => void {
  if (shared?.userId !== userId) shared = share(userId);
  const socket = shared;
  socket.listeners.add(listener);
  if (socket.isOpen) listener.onOpen();
  return () => {
    socket.listeners.delete(listener);
    if (socket.listeners.size > 0) return;
    socket.close();
    if (shared === socket) shared = null;
  };
}

function share(userId: string) {
  const listeners = new Set<Listener>();
  const socket = { userId, isOpen: false, listeners, close: () => {} };
  socket.close = openSocket(userId, {
    onEvent: (event) => {
      for (const { onEvent } of listeners) onEvent(event);
    },
    onOpen: () => {
      socket.isOpen = true;
      for (const { onOpen } of listeners) onOpen();
    },
  });
  return socket;
}

/**
 * Opens a socket for the events of a user's files, which the session cookie authorises. It reconnects 3 to 10
 * seconds after a break, and logs out where the server says that the session has ended. `onOpen` is called for
 * each connection, to refetch what was missed in between.
 * @param options.verifySession makes an authorised call, which logs out where the session has ended
 * @returns a function that closes it
 */
export function openSocket(
  userId: string,
  listener: Listener,
  { random = Math.random, verifySession = callProfile } = {},
): () => void {
  let socket: WebSocket;
  let timer: ReturnType<typeof setTimeout>;
  let isClosed = false;
  let disconnectedAt: number | null = null;

  const connect = () => {
    const url = new URL(`/ws?user_id=${encodeURIComponent(userId)}`, location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const opened = new WebSocket(url);
    let hasOpened = false;
    socket = opened;
    socket.onopen = () => {
      hasOpened = true;
      disconnectedAt = null;
      dispatchConnection('up');
      listener.onOpen();
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string' && data !== '') listener.onEvent(JSON.parse(data) as FileEvent);
    };
    socket.onclose = ({ code }) => {
      if (isClosed || socket !== opened) return;
      if (code === SESSION_ENDED_CODE) return void sessionExpired();
      // A browser does not tell why the server has refused a handshake.
      if (!hasOpened) verifySession();
      disconnectedAt ??= Date.now();
      if (Date.now() - disconnectedAt > DOWN_AFTER_MS) dispatchConnection('down');
      timer = setTimeout(connect, SOCKET_RECONNECT_DELAY_MS + random() * RECONNECT_JITTER_MS);
    };
  };
  const suspend = () => {
    isClosed = true;
    clearTimeout(timer);
    socket.close();
  };
  const resume = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    isClosed = false;
    connect();
  };
  connect();
  // A page with an open socket is not kept for the back button.
  window.addEventListener('pagehide', suspend);
  window.addEventListener('pageshow', resume);

  return () => {
    window.removeEventListener('pagehide', suspend);
    window.removeEventListener('pageshow', resume);
    dispatchConnection('up');
    suspend();
  };
}

/** The server may be down as well, which the next connection shows. */
const callProfile = (): void => void call('GET /users/profile').catch(() => {});
