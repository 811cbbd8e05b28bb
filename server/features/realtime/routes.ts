import { Elysia, t } from 'elysia';
import { forbidden, unauthorized } from '../../errors.ts';
import type { Events } from '../../platform/events/port.ts';
import type { Accounts } from '../accounts/service.ts';
import { FILE_EVENTS, type FileEventEnvelope } from '../files/service.ts';

/** The socket only speaks; whatever a page sends is dropped, and little of it taken. */
const LARGEST_MESSAGE = 1024;
const IDLE_SECONDS = 120;

type Socket = { send(text: string): unknown; close(code: number, reason: string): unknown };

/**
 * `/ws?user_id=…`: tells the open pages of a user what happens to their files. The page cookie
 * opens it, from our own origin only, and only for the user that the cookie names.
 */
export function realtimeRoutes(services: { accounts: Accounts; events: Events; appUrl: string }) {
  const { accounts, events, appUrl } = services;
  const origin = new URL(appUrl).origin;
  const sockets = new Map<string, Set<Socket>>();
  const socketOf = new Map<string, Socket>();

  events.subscribe(FILE_EVENTS, (payload) => {
    const { userId, event } = payload as FileEventEnvelope;
    const text = JSON.stringify(event);
    for (const socket of sockets.get(userId) ?? []) socket.send(text);
  });

  return new Elysia({
    websocket: { maxPayloadLength: LARGEST_MESSAGE, idleTimeout: IDLE_SECONDS, sendPings: true },
  }).ws('/ws', {
    query: t.Object({ user_id: t.String() }),
    async beforeHandle({ request, query }) {
      if (request.headers.get('origin') !== origin)
        throw forbidden('The socket is for our own pages.');
      const viewer = await accounts.viewerOf(request);
      if (!viewer) throw unauthorized();
      if (viewer.userId !== query.user_id) throw forbidden('This is not your socket.');
    },
    open(socket) {
      const userId = socket.data.query.user_id;
      const mine = sockets.get(userId) ?? new Set();
      mine.add(socket.raw);
      socketOf.set(socket.id, socket.raw);
      sockets.set(userId, mine);
    },
    message() {},
    close(socket) {
      const userId = socket.data.query.user_id;
      const mine = sockets.get(userId);
      const raw = socketOf.get(socket.id);
      socketOf.delete(socket.id);
      if (raw) mine?.delete(raw);
      if (mine?.size === 0) sockets.delete(userId);
    },
  });
}
