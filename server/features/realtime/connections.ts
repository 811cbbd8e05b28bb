import { SECOND, SESSION_ENDED_CODE } from '../../contract/limits.ts';
import type { FileEvent } from '../../contract/wire.ts';
import { unavailable } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Events } from '../../platform/events/port.ts';
import { type Accounts, SESSION_EVENTS } from '../accounts/service.ts';
import { FILE_EVENTS, type FileEventEnvelope } from '../files/service.ts';
import { EventThrottle } from './event-throttle.ts';

/** The code 1012, Service Restart, makes a page connect again and load what it may have missed. */
const RECONNECT_CODE = 1012;

/**
 * How long a session counts as checked. Events of an operator's commands do not reach a server on
 * SQLite, so it would never learn that such a command has ended the session.
 */
const SESSION_CHECK_TTL_MS = 5 * SECOND;
/** Each open page has one connection; a program that opens more closes its own oldest ones. */
const MAX_CONNECTIONS_PER_USER = 100;
/** The connections of a process. Pages without one still work, and try again. */
const MAX_CONNECTIONS = 50_000;
const RETRY_AFTER_MS = 30 * SECOND;

/**
 * The events that tell a page to load its list again. A program can cause hundreds in a second. Processing has
 * a pace of its own.
 */
const LIST_EVENTS: ReadonlySet<FileEvent['type']> = new Set([
  'file.created',
  'file.moved',
  'file.updated',
  'file.replaced',
  'file.deleted',
  'file.restored',
]);

type Socket = { send(text: string): unknown; close(code: number, reason: string): unknown };
/** An open socket, and the request whose cookie opened it. */
type Connection = {
  socket: Socket;
  request: Request;
  /** When its session was last checked, in epoch milliseconds. */
  checkedAt: number;
  /** The message that is being sent: messages go out in order, though one may wait for a check. */
  last: Promise<void>;
};

/** The open sockets of all users. Each gets the file events of its user until its session ends. */
export class Connections {
  private readonly byUser = new Map<string, Map<string, Connection>>();
  private count = 0;
  /** Rises whenever the session of anybody may have ended. */
  private endings = 0;
  private readonly checks = new WeakMap<Request, { at: number; endings: number }>();
  private readonly throttle: EventThrottle;
  private readonly maxConnections: number;

  constructor(
    private readonly deps: {
      accounts: Pick<Accounts, 'userOfPage'>;
      events: Events;
      clock: Clock;
      maxConnections?: number;
      throttle?: EventThrottle;
    },
  ) {
    const { events, maxConnections = MAX_CONNECTIONS, throttle = new EventThrottle() } = deps;
    this.throttle = throttle;
    this.maxConnections = maxConnections;
    events.subscribe(FILE_EVENTS, (payload) => {
      const { userId, event } = payload as FileEventEnvelope;
      if (!this.byUser.has(userId)) return;
      const send = () => this.broadcast(userId, JSON.stringify(event));
      if (LIST_EVENTS.has(event.type)) this.throttle.run(event.bucket_id, send);
      else send();
    });
    events.subscribe(SESSION_EVENTS, (payload) => {
      const { userId } = payload as { userId: string };
      this.endings += 1;
      void this.closeEnded(this.byUser.get(userId)?.values() ?? []);
    });
    events.onGap(() => this.closeAll());
  }

  /**
   * Returns the user whose page asks for a socket; null for a visitor. Throws unavailable where this
   * process has as many as it can.
   */
  async authorize(request: Request): Promise<string | null> {
    if (this.count >= this.maxConnections) {
      throw unavailable('Too many pages are connected. Try again in a moment.', RETRY_AFTER_MS);
    }
    const check = { at: this.deps.clock(), endings: this.endings };
    const userId = await this.deps.accounts.userOfPage(request);
    if (userId !== null) this.checks.set(request, check);
    return userId;
  }

  /** Adds a socket that has just been opened, after its request was authorized. */
  add(userId: string, id: string, socket: Socket, request: Request) {
    const connections = this.byUser.get(userId) ?? new Map<string, Connection>();
    const check = this.checks.get(request);
    const checkedAt = check?.at ?? 0;
    const connection = { socket, request, checkedAt, last: Promise.resolve() };
    const [oldest] = connections.values();
    if (connections.size >= MAX_CONNECTIONS_PER_USER) requestReconnect(oldest?.socket);
    this.byUser.set(userId, connections.set(id, connection));
    this.count += 1;
    // The session may have ended since it was looked up. After a restart thousands of pages connect,
    // and each costs one lookup only.
    if (check?.endings !== this.endings) void this.closeEnded([connection]);
  }

  /** Removes a socket that has closed. */
  remove(userId: string, id: string) {
    const connections = this.byUser.get(userId);
    if (!connections?.delete(id)) return;
    this.count -= 1;
    if (connections.size === 0) this.byUser.delete(userId);
  }

  private broadcast(userId: string, text: string) {
    for (const connection of this.byUser.get(userId)?.values() ?? []) this.send(connection, text);
  }

  private send(connection: Connection, text: string) {
    connection.last = connection.last.then(async () => {
      const isChecked = this.deps.clock() - connection.checkedAt < SESSION_CHECK_TTL_MS;
      if (isChecked || (await this.checkSession(connection))) connection.socket.send(text);
    });
  }

  /**
   * Returns whether the session of a connection is live, and closes the connection where it is not.
   */
  private async checkSession(connection: Connection): Promise<boolean> {
    const { accounts, clock } = this.deps;
    const { socket, request } = connection;
    try {
      if ((await accounts.userOfPage(request)) !== null) {
        connection.checkedAt = clock();
        return true;
      }
      socket.close(SESSION_ENDED_CODE, 'The session has ended.');
    } catch {
      // Whether the session has ended is unknown, so the page may connect again and find out.
      requestReconnect(socket);
    }
    return false;
  }

  private async closeEnded(connections: Iterable<Connection>) {
    for (const connection of [...connections]) await this.checkSession(connection);
  }

  private closeAll() {
    this.endings += 1;
    for (const connections of this.byUser.values()) {
      for (const { socket } of [...connections.values()]) requestReconnect(socket);
    }
  }
}

const requestReconnect = (socket: Socket | undefined) =>
  socket?.close(RECONNECT_CODE, 'Reconnect.');
