import type { Duplex } from 'node:stream';
import { Client, Pool, type PoolConfig } from 'pg';
import { SECOND } from '../../contract/limits.ts';
import {
  isReadOnlyServer,
  isReadTimeout,
  isStalePlan,
  toDatabaseError,
} from './postgres-errors.ts';
import { KEEPALIVE } from './postgres-session.ts';
import type { StatementNames } from './statement-names.ts';

// biome-ignore lint/suspicious/noExplicitAny: as pg declares its many forms of calling these
type Anything = any;

/**
 * Returns how a client or a pool connects.
 * @param queryMs how long it waits for the result of a query, in milliseconds; 0 for any time
 */
export const connectionTo = (
  url: string,
  queryMs: number,
  { idleSeconds } = KEEPALIVE,
): PoolConfig => ({
  connectionString: url,
  connectionTimeoutMillis: 10 * SECOND,
  keepAlive: true,
  // Without it the system sends the first probe after two hours.
  keepAliveInitialDelayMillis: idleSeconds * SECOND,
  query_timeout: queryMs,
  // The statements of a batch are started together, and so take one round trip instead of one each.
  pipeline: true,
});

/** How a client connects, and under which names its session keeps statements; missing where it keeps none. */
type Connection = PoolConfig & { statements?: StatementNames };

/** A client whose errors are those of `translateErrors`. */
export class TranslatingClient extends Client {
  /** Whether the server of this connection has refused a change, as a standby does. */
  isOfStandby = false;
  private readonly statements: StatementNames | undefined;

  constructor(connection?: Connection) {
    super(connection);
    this.statements = connection?.statements;
    // A query that uses a broken connection reports the failure. Without a listener, this event would end
    // the process too.
    this.on('error', () => {});
  }
  override query(...parameters: Anything[]): Anything {
    this.collectWrites();
    const result: unknown = this.send(parameters);
    return result instanceof Promise ? toDatabaseError(this.leaveBroken(result)) : result;
  }

  private send(parameters: Anything[]): unknown {
    const [text, values] = parameters;
    const name = typeof text === 'string' ? this.statements?.nameOf(text) : undefined;
    if (name === undefined) return super.query(...(parameters as Parameters<Client['query']>));
    return this.sendNamed({ name, text, values });
  }

  private async sendNamed(query: { name: string; text: string; values: unknown[] }) {
    try {
      return await super.query(query);
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      this.statements?.renew(query.name);
      // A transaction has failed with the statement, and is run again as a whole.
      if (this.getTransactionStatus() !== 'I') throw error;
      return super.query(query.text, query.values);
    }
  }

  /**
   * Holds back what is written until this turn ends, because pg writes each statement of a batch by itself, which would
   * wake PostgreSQL for each.
   */
  private collectWrites(): void {
    const { stream } = (this as unknown as { connection: { stream: Duplex } }).connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  /** pg keeps a connection on which a query has timed out, and all later queries would wait behind that one. */
  private async leaveBroken<Result>(query: Promise<Result>): Promise<Result> {
    try {
      return await query;
    } catch (error) {
      if (isReadTimeout(error)) void this.end();
      this.isOfStandby ||= isReadOnlyServer(error);
      throw error;
    }
  }
}

/** A pool of such clients. */
export class TranslatingPool extends Pool {
  constructor(options: Connection) {
    super({ ...options, Client: TranslatingClient } as PoolConfig);
    // The pool replaces an idle connection that the server closes. Without a listener, this event would end
    // the process.
    this.on('error', () => {});
    // After a failover the pool would keep its connections to what is a standby now. They are closed once
    // they have rolled back.
    this.on('release', (_error, client: unknown) => {
      if (client instanceof TranslatingClient && client.isOfStandby) void client.end();
    });
  }
  override connect(...parameters: Anything[]): Anything {
    const result: unknown = super.connect(...(parameters as [Anything]));
    return result instanceof Promise ? toDatabaseError(result) : result;
  }
}
