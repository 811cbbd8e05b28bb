import { Elysia, t } from 'elysia';
import { AppError, forbidden, unauthorized } from '../../errors.ts';
import type { Events } from '../../platform/events/port.ts';
import { type Accounts, SESSION_EVENTS } from '../accounts/service.ts';
import { FILE_EVENTS, type FileEventEnvelope } from '../files/service.ts';

/** The socket only speaks; whatever a page sends is dropped, and little of it taken. */
const LARGEST_MESSAGE = 1024;
const IDLE_SECONDS = 120;

/** Of the range that RFC 6455 leaves to applications. */
const LOGGED_OUT = 4401;
/** 1012, Service Restart: the page connects again, and asks for what it may have missed. */
const CONNECT_AGAIN = 1012;

type Socket = { send(text: string): unknown; close(code: number, reason: string): unknown };
/** An open socket, and the request whose cookie opened it. */
type Connection = { socket: Socket; request: Request };

/**
 * `/ws?user_id=…`: tells the open pages of a user what happens to their files. The page cookie
 * opens it, from our own origin only, and only for the user that the cookie names; it is closed
 * when that session ends.
 */
export function realtimeRoutes(services: { accounts: Accounts; events: Events; appUrl: string }) {
  const { accounts, events, appUrl } = services;
  const origin = new URL(appUrl).origin;
  const byUser = new Map<string, Map<string, Connection>>();

  const closeEnded = async (connections: Iterable<Connection>) => {
    for (const { socket, request } of [...connections]) {
      try {
        if (!(await accounts.viewerOf(request))) socket.close(LOGGED_OUT, 'The session has ended.');
      } catch {
        // Nobody can say whether it has: the page may ask again.
        socket.close(CONNECT_AGAIN, 'Connect again.');
      }
    }
  };

  events.subscribe(FILE_EVENTS, (payload) => {
    const { userId, event } = payload as FileEventEnvelope;
    const text = JSON.stringify(event);
    for (const { socket } of byUser.get(userId)?.values() ?? []) socket.send(text);
  });
  events.subscribe(SESSION_EVENTS, (payload) => {
    const { userId } = payload as { userId: string };
    void closeEnded(byUser.get(userId)?.values() ?? []);
  });
  events.onGap(() => {
    for (const connections of byUser.values()) {
      for (const { socket } of [...connections.values()]) {
        socket.close(CONNECT_AGAIN, 'Connect again.');
      }
    }
  });

  return new Elysia({
    websocket: { maxPayloadLength: LARGEST_MESSAGE, idleTimeout: IDLE_SECONDS, sendPings: true },
  }).ws('/ws', {
    query: t.Object({ user_id: t.String() }),
    async beforeHandle({ request, query }) {
      if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
        const headers = { upgrade: 'websocket' };
        throw new AppError(426, 'upgrade-required', 'This is for WebSockets.', headers);
      }
      if (request.headers.get('origin') !== origin) {
        throw forbidden('The socket is for our own pages.');
      }
      const viewer = await accounts.viewerOf(request);
      if (!viewer) throw unauthorized();
      if (viewer.userId !== query.user_id) throw forbidden('This is not your socket.');
    },
    open({ id, raw, data }) {
      const connections = byUser.get(data.query.user_id) ?? new Map<string, Connection>();
      const connection = { socket: raw, request: data.request };
      byUser.set(data.query.user_id, connections.set(id, connection));
      // The session may have ended since it was looked at.
      void closeEnded([connection]);
    },
    message() {},
    close({ id, data }) {
      const connections = byUser.get(data.query.user_id);
      connections?.delete(id);
      if (connections?.size === 0) byUser.delete(data.query.user_id);
    },
  });
}
