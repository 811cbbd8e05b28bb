import { SECOND } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Events } from '../../platform/events/port.ts';
import { type Accounts, SESSION_EVENTS } from '../accounts/service.ts';
import { FILE_EVENTS, type FileEventEnvelope } from '../files/service.ts';

/** The close code for an ended session, from the range that RFC 6455 reserves for applications. */
const LOGGED_OUT = 4401;
/** The code 1012, Service Restart, makes a page connect again and load what it may have missed. */
const RECONNECT_CODE = 1012;

/**
 * How long a session counts as checked. Events of an operator's commands do not reach a server on
 * SQLite, so it would never learn that such a command has ended the session.
 */
const SESSION_CHECK_TTL_MS = 5 * SECOND;
/** Each open page has one connection; a program that opens more closes its own oldest ones. */
const MAX_CONNECTIONS_PER_USER = 100;

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

  constructor(
    private readonly services: {
      accounts: Pick<Accounts, 'viewerOf'>;
      events: Events;
      clock: Clock;
    },
  ) {
    const { events } = services;
    events.subscribe(FILE_EVENTS, (payload) => {
      const { userId, event } = payload as FileEventEnvelope;
      const text = JSON.stringify(event);
      for (const connection of this.byUser.get(userId)?.values() ?? []) this.send(connection, text);
    });
    events.subscribe(SESSION_EVENTS, (payload) => {
      const { userId } = payload as { userId: string };
      void this.closeEnded(this.byUser.get(userId)?.values() ?? []);
    });
    events.onGap(() => this.closeAll());
  }

  /** Adds a socket that has just been opened. */
  add(userId: string, id: string, socket: Socket, request: Request) {
    const connections = this.byUser.get(userId) ?? new Map<string, Connection>();
    const checkedAt = this.services.clock();
    const connection = { socket, request, checkedAt, last: Promise.resolve() };
    const [oldest] = connections.values();
    if (connections.size >= MAX_CONNECTIONS_PER_USER) requestReconnect(oldest?.socket);
    this.byUser.set(userId, connections.set(id, connection));
    // The session may have ended since the request was authorized.
    void this.closeEnded([connection]);
  }

  /** Removes a socket that has closed. */
  remove(userId: string, id: string) {
    const connections = this.byUser.get(userId);
    connections?.delete(id);
    if (connections?.size === 0) this.byUser.delete(userId);
  }

  private send(connection: Connection, text: string) {
    connection.last = connection.last.then(async () => {
      const isChecked = this.services.clock() - connection.checkedAt < SESSION_CHECK_TTL_MS;
      if (isChecked || (await this.checkSession(connection))) connection.socket.send(text);
    });
  }

  /**
   * Returns whether the session of a connection is live, and closes the connection where it is not.
   */
  private async checkSession(connection: Connection): Promise<boolean> {
    const { accounts, clock } = this.services;
    const { socket, request } = connection;
    try {
      if (await accounts.viewerOf(request)) {
        connection.checkedAt = clock();
        return true;
      }
      socket.close(LOGGED_OUT, 'The session has ended.');
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
    for (const connections of this.byUser.values()) {
      for (const { socket } of [...connections.values()]) requestReconnect(socket);
    }
  }
}

const requestReconnect = (socket: Socket | undefined) =>
  socket?.close(RECONNECT_CODE, 'Reconnect.');
