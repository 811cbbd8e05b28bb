import { SQL } from 'bun';
import { SECOND } from '../../contract/limits.ts';
import { isUnavailable } from '../../errors.ts';
import { toDatabaseError } from '../db/postgres-errors.ts';
import { createListeners, decodeMessage, encodeMessage } from './listeners.ts';
import type { Events } from './port.ts';

const CHANNEL = 'wharf_events';
const GAP = 'gap';
/** What is told has been committed: a connection that breaks just then costs a pause, not the word. */
const TRIES = 4;
const PAUSE = SECOND / 4;

/**
 * Events among all processes on one PostgreSQL database, by LISTEN and NOTIFY; all topics share
 * a channel. The publisher's own process hears of it at once, as in one process alone, so that what
 * was deleted or revoked there is so when the answer leaves. The connection comes back by itself;
 * then `onGap` is called. Rejects when the database can't be reached at first.
 * @param options.url `postgres://…`
 * @param options.onError what a listener threw, or a notification that is not ours
 */
export async function openPostgresEvents(options: {
  url: string;
  onError: (error: unknown) => void;
}): Promise<Events> {
  const events = new PostgresEvents(options.url, options.onError);
  await events.listen();
  return events;
}

class PostgresEvents implements Events {
  private readonly onError: (error: unknown) => void;
  private readonly topics: ReturnType<typeof createListeners<unknown>>;
  private readonly gaps: ReturnType<typeof createListeners<void>>;
  private readonly echoes = createEchoes();
  private readonly sql: SQL;
  private subscription: SQL.ListenSubscription | null = null;
  private isListening = false;
  private isClosed = false;

  constructor(url: string, onError: (error: unknown) => void) {
    this.onError = onError;
    this.topics = createListeners<unknown>(onError);
    this.gaps = createListeners<void>(onError);
    // One connection, beside the one that listens: over several, messages could overtake each other.
    this.sql = new SQL(url, { max: 1 });
  }

  async listen(): Promise<void> {
    try {
      this.subscription = await this.sql.listen(
        CHANNEL,
        (text) => this.receive(text),
        () => this.onListen(),
      );
    } catch (error) {
      await this.sql.close({ timeout: 0 });
      throw error;
    }
  }

  async publish(topic: string, payload: unknown): Promise<void> {
    const text = encodeMessage(topic, payload);
    this.echoes.expect(text);
    // Later, so that what a listener publishes comes after what it was called for.
    queueMicrotask(() => this.hear(text));
    for (let tries = 1; ; tries += 1) {
      try {
        await toDatabaseError(this.sql.notify(CHANNEL, text));
        return;
      } catch (error) {
        if (this.isClosed || tries === TRIES || !isUnavailable(error)) {
          this.echoes.forget(text);
          throw error;
        }
        await Bun.sleep(tries * PAUSE);
      }
    }
  }

  subscribe(topic: string, listener: (payload: unknown) => void): () => void {
    return this.topics.add(topic, listener);
  }

  onGap(listener: () => void): () => void {
    return this.gaps.add(GAP, listener);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.topics.clear();
    this.gaps.clear();
    await this.subscription?.unlisten();
    await this.sql.close({ timeout: 1 });
  }

  /** Called when the connection first listens, and whenever it is back. */
  private onListen(): void {
    this.echoes.clear();
    if (this.isListening) this.gaps.call(GAP);
    this.isListening = true;
  }

  private receive(text: string): void {
    if (!this.echoes.isOwn(text)) this.hear(text);
  }

  private hear(text: string): void {
    try {
      const { topic, payload } = decodeMessage(text);
      this.topics.call(topic, payload);
    } catch (error) {
      this.onError(error);
    }
  }
}

/**
 * Tells this process' own messages when they come back to it, which it has heard already. By their
 * text: where two processes send the same at once it does not matter whose comes first.
 */
function createEchoes() {
  const expected = new Map<string, number>();
  const change = (text: string, by: number) => {
    const count = (expected.get(text) ?? 0) + by;
    if (count > 0) expected.set(text, count);
    else expected.delete(text);
  };
  return {
    /** This text is being sent. */
    expect: (text: string) => change(text, 1),

    /** The request could not be sent. */
    forget: (text: string) => change(text, -1),

    /** Whether this is an own message that came back; each is one once. */
    isOwn(text: string): boolean {
      const own = expected.has(text);
      if (own) change(text, -1);
      return own;
    },

    /** What was sent before the connection broke may never come back. */
    clear: () => expected.clear(),
  };
}
