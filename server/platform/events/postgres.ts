import { SQL } from 'bun';
import { SECOND } from '../../contract/limits.ts';
import { isUnavailable } from '../../errors.ts';
import { toDatabaseError } from '../db/postgres-errors.ts';
import { createListeners, decodeMessage, encodeMessage } from './listeners.ts';
import type { Events } from './port.ts';

const CHANNEL = 'wharf_events';
const GAP = 'gap';
/**
 * An event tells of a change that is already committed. A connection that breaks at that moment is
 * therefore retried, so that the event is late but not lost.
 */
const MAX_ATTEMPTS = 4;
const RETRY_DELAY_MS = SECOND / 4;
/** An own message that is forgotten only calls its listeners twice. */
const MAX_EXPECTED = 10_000;

/**
 * Opens events between all processes on one PostgreSQL database by LISTEN and NOTIFY; all topics share a
 * channel. The publisher's own process is notified at once, so that what it deletes or revokes takes effect
 * before its response is sent. The connection reconnects by itself and then calls the `onGap` listeners.
 * Rejects when the database can't be reached at the start.
 * @param options.url `postgres://…`
 * @param options.onError called with what a listener throws, and for notifications that are not ours
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
    // Events are sent on one connection, beside the one that listens: on several they could overtake each
    // other.
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
    // Listeners are called in a microtask, so that what one of them publishes comes after the event it was
    // called for.
    queueMicrotask(() => this.hear(text));
    for (let attempt = 1; ; attempt += 1) {
      try {
        await toDatabaseError(this.sql.notify(CHANNEL, text));
        return;
      } catch (error) {
        if (this.isClosed || attempt === MAX_ATTEMPTS || !isUnavailable(error)) {
          this.echoes.forget(text);
          throw error;
        }
        await Bun.sleep(attempt * RETRY_DELAY_MS);
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

  /** Called when the connection starts to listen, and again after every reconnect. */
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
 * Recognises this process' own messages when NOTIFY returns them, as its listeners have already been
 * called. Messages are compared by their text: where two processes send the same text at once, it does not
 * matter which one arrives first.
 */
function createEchoes() {
  const expected = new Map<string, number>();
  const change = (text: string, by: number) => {
    const count = (expected.get(text) ?? 0) + by;
    if (count > 0) expected.set(text, count);
    else expected.delete(text);
  };
  return {
    /** Counts a text that is being sent. */
    expect(text: string): void {
      // Nothing comes back while the listening connection is broken.
      if (expected.size >= MAX_EXPECTED) expected.clear();
      change(text, 1);
    },

    /** Uncounts a text that could not be sent. */
    forget: (text: string) => change(text, -1),

    /** Whether a text is an own message that came back. Each message counts once. */
    isOwn(text: string): boolean {
      const own = expected.has(text);
      if (own) change(text, -1);
      return own;
    },

    /** Forgets all texts: what was sent before a connection broke may never come back. */
    clear: () => expected.clear(),
  };
}
