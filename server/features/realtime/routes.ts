import { Elysia, t } from 'elysia';
import { SECOND } from '../../contract/limits.ts';
import { AppError, forbidden, unauthorized } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
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

/** Word of an ended session does not come from commands, which work on the database alone. */
const CHECKED_EVERY = 5 * SECOND;
/** Each open page has one; a program that opens them without end closes its own. */
const MOST_OF_USER = 100;

type Socket = { send(text: string): unknown; close(code: number, reason: string): unknown };
/** An open socket, and the request whose cookie opened it. */
type Connection = {
  socket: Socket;
  request: Request;
  /** When its session was last looked at, epoch milliseconds. */
  checkedAt: number;
  /** Messages go out in order, though one may wait for that. */
  last: Promise<void>;
};

/**
 * `/ws?user_id=…`: tells the open pages of a user what happens to their files. The page cookie
 * opens it, from our own origin only, and only for the user that the cookie names; it is closed
 * when that session ends.
 */
export function realtimeRoutes(services: {
  accounts: Accounts;
  events: Events;
  clock: Clock;
  appUrl: string;
}) {
  const { accounts, events, clock, appUrl } = services;
  const origin = new URL(appUrl).origin;
  const byUser = new Map<string, Map<string, Connection>>();

  /** Whether the session of a connection goes on; one that does not is closed. */
  const goesOn = async (connection: Connection): Promise<boolean> => {
    const { socket, request } = connection;
    try {
      if (await accounts.viewerOf(request)) {
        connection.checkedAt = clock();
        return true;
      }
      socket.close(LOGGED_OUT, 'The session has ended.');
    } catch {
      // Nobody can say whether it has: the page may ask again.
      socket.close(CONNECT_AGAIN, 'Connect again.');
    }
    return false;
  };
  const closeEnded = async (connections: Iterable<Connection>) => {
    for (const connection of [...connections]) await goesOn(connection);
  };
  const tell = (connection: Connection, text: string) => {
    connection.last = connection.last.then(async () => {
      const isKnown = clock() - connection.checkedAt < CHECKED_EVERY;
      if (isKnown || (await goesOn(connection))) connection.socket.send(text);
    });
  };

  events.subscribe(FILE_EVENTS, (payload) => {
    const { userId, event } = payload as FileEventEnvelope;
    const text = JSON.stringify(event);
    for (const connection of byUser.get(userId)?.values() ?? []) tell(connection, text);
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
      const connection = {
        socket: raw,
        request: data.request,
        checkedAt: clock(),
        last: Promise.resolve(),
      };
      const [oldest] = connections.values();
      if (connections.size >= MOST_OF_USER) oldest?.socket.close(CONNECT_AGAIN, 'Connect again.');
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
