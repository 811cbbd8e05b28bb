import { Elysia, t } from 'elysia';
import { KIB } from '../../contract/limits.ts';
import { AppError, forbidden, unauthorized } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Events } from '../../platform/events/port.ts';
import { isOwnOrigin } from '../../web/http/own-address.ts';
import { can } from '../access/can.ts';
import { ownerPrincipal } from '../access/principal.ts';
import type { Accounts } from '../accounts/service.ts';
import { Connections } from './connections.ts';

/** The server ignores everything that a page sends, so it needs no large messages. */
const MAX_MESSAGE_BYTES = KIB;
/**
 * Bun pings a silent connection 16 seconds before this time is over. A proxy closes one through which
 * nothing passes, nginx after 60 seconds unless its settings say otherwise.
 */
const IDLE_TIMEOUT_SECONDS = 40;
/** What waits for a page that does not read. It holds hundreds of events; a slower page reconnects. */
const MAX_PENDING_BYTES = 64 * KIB;

/** The options of all WebSockets. Elysia only applies those of the app that listens. */
export const WEBSOCKET_OPTIONS = {
  maxPayloadLength: MAX_MESSAGE_BYTES,
  idleTimeout: IDLE_TIMEOUT_SECONDS,
  sendPings: true,
  backpressureLimit: MAX_PENDING_BYTES,
  closeOnBackpressureLimit: true,
};

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
  const connections = new Connections(services);

  const socketRoute = new Elysia().ws('/ws', {
    query: t.Object({ user_id: t.String() }),
    async beforeHandle({ request, query }) {
      const { headers } = request;
      if (!isOwnOrigin(headers.get('origin') ?? '', headers, services.appUrl)) {
        throw forbidden("WebSocket connections are only accepted from this site's own pages.");
      }
      const userId = await connections.authorize(request);
      if (userId === null) throw unauthorized();
      const user = { userId: query.user_id };
      if (can(ownerPrincipal(userId), 'receive-events', user))
        throw forbidden("user_id doesn't match your session.");
    },
    open({ id, raw, data }) {
      connections.add(data.query.user_id, id, raw, data.request);
    },
    message() {},
    close({ id, data }) {
      connections.remove(data.query.user_id, id);
    },
  }); // Without an upgrade, Elysia looks for the route of a page.
  return socketRoute.get('/ws', () => Promise.reject(upgradeRequired()), {
    detail: { hide: true },
  });
}

const upgradeRequired = () =>
  new AppError(426, 'upgrade-required', 'This endpoint only accepts WebSocket connections.', {
    upgrade: 'websocket',
  });
