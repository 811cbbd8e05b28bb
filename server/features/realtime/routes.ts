import { Elysia, t } from 'elysia';
import { KIB } from '../../contract/limits.ts';
import { AppError, forbidden, unauthorized } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Events } from '../../platform/events/port.ts';
import type { Accounts } from '../accounts/service.ts';
import { Connections } from './connections.ts';

/** The server ignores everything that a page sends, so it needs no large messages. */
const MAX_MESSAGE_BYTES = 1024;
const IDLE_TIMEOUT_SECONDS = 120;
/** What waits for a page that does not read. It holds hundreds of events; a slower page reconnects. */
const MAX_PENDING_BYTES = 64 * KIB;

/**
 * Mounts `/ws?user_id=…`, which sends the file events of a user to their open pages. It needs the
 * page cookie of that user and our own origin, and is closed when the session ends.
 */
export function realtimeRoutes(services: {
  accounts: Accounts;
  events: Events;
  clock: Clock;
  appUrl: string;
}) {
  const origin = new URL(services.appUrl).origin;
  const connections = new Connections(services);

  return new Elysia({
    websocket: {
      maxPayloadLength: MAX_MESSAGE_BYTES,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      sendPings: true,
      backpressureLimit: MAX_PENDING_BYTES,
      closeOnBackpressureLimit: true,
    },
  }).ws('/ws', {
    query: t.Object({ user_id: t.String() }),
    async beforeHandle({ request, query }) {
      if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
        const headers = { upgrade: 'websocket' };
        throw new AppError(
          426,
          'upgrade-required',
          'This endpoint only accepts WebSocket connections.',
          headers,
        );
      }
      if (request.headers.get('origin') !== origin) {
        throw forbidden("WebSocket connections are only accepted from this site's own pages.");
      }
      const userId = await connections.authorize(request);
      if (userId === null) throw unauthorized();
      if (userId !== query.user_id) throw forbidden("user_id doesn't match your session.");
    },
    open({ id, raw, data }) {
      connections.add(data.query.user_id, id, raw, data.request);
    },
    message() {},
    close({ id, data }) {
      connections.remove(data.query.user_id, id);
    },
  });
}
