import { SQL } from 'bun';
import { SECOND } from '../../contract/limits.ts';
import { isUnavailable } from '../../errors.ts';
import { afterCommit } from '../db/after-commit.ts';
import type { Tx } from '../db/port.ts';
import { toDatabaseError } from '../db/postgres-errors.ts';
import { prepareStatement } from '../db/prepare-statement.ts';
import { firstIdAt, newId } from '../ids.ts';
import { BEAT_INTERVAL_MS, Heartbeat } from './heartbeat.ts';
import { createListeners, decodeMessage, encodeMessage, MAX_BYTES } from './listeners.ts';
import { LoopbackFilter } from './loopback-filter.ts';
import { type Message, MessageSender, SEPARATOR } from './message-sender.ts';
import type { Events } from './port.ts';
import type { EventOutboxRow } from './tables.ts';

const CHANNEL = 'wharf_events';
const GAP = 'gap';
/** A message without listeners, by which a process finds out whether it still hears. */
const PING = encodeMessage('ping', null);
/**
 * An event tells of a change that is already committed. A connection that breaks at that moment is
 * therefore retried, so that the event is late but not lost.
 */
const MAX_ATTEMPTS = 4;
const RETRY_DELAY_MS = SECOND / 4;

/** By then the process that wrote a message into the outbox has sent it, or has died. */
const OVERDUE_MS = 2 * SECOND;
/** How many overdue messages are looked at for one notification. */
const SWEEP_SIZE = 1000;

type Options = {
  /** `postgres://…` */
  url: string;
  /** Called with what a listener throws, and for notifications that are not ours. */
  onError: (error: unknown) => void;
  beatIntervalMs?: number;
};

/**
 * Opens events between all processes on one PostgreSQL database by LISTEN and NOTIFY; all topics share a
 * channel. The publisher's own process is notified at once, so that what it deletes or revokes takes effect
 * before its response is sent. The connection reconnects when it breaks, and when nothing is heard of a ping,
 * and then calls the `onGap` listeners. Rejects when the database can't be reached at the start.
 */
export async function openPostgresEvents(options: Options): Promise<Events> {
  const events = new PostgresEvents(options);
  await events.start();
  return events;
}

class PostgresEvents implements Events {
  private readonly topics: ReturnType<typeof createListeners<unknown>>;
  private readonly gaps: ReturnType<typeof createListeners<void>>;
  private readonly echoes = new LoopbackFilter();
  private readonly heartbeat = new Heartbeat();
  private readonly sender = new MessageSender((messages) => this.notify(messages));
  private beats: ReturnType<typeof setInterval> | null = null;
  private sql: SQL;
  private isListening = false;
  private isClosed = false;

  constructor(private readonly options: Options) {
    this.topics = createListeners<unknown>(options.onError);
    this.gaps = createListeners<void>(options.onError);
    this.sql = connect(options.url);
  }

  async start(): Promise<void> {
    await this.listen();
    const { beatIntervalMs = BEAT_INTERVAL_MS } = this.options;
    this.beats = setInterval(() => this.beat(), beatIntervalMs);
    this.beats.unref();
  }

  async publish(topic: string, payload: unknown): Promise<void> {
    const text = encodeMessage(topic, payload);
    this.echoes.expect(text);
    this.callListeners(text);
    try {
      await this.sender.send(text);
    } catch (error) {
      this.echoes.forget(text);
      throw error;
    }
  }

  /**
   * A NOTIFY in the transaction would let no other one commit that notifies until this one is on the disk. So the
   * message is written with it, and sent after it.
   */
  async publishIn(tx: Tx, topic: string, payload: unknown): Promise<void> {
    const message = { id: newId(Date.now()), text: encodeMessage(topic, payload) };
    const isAhead = this.echoes.expectWithCommit(message.text);
    await insertMessage(tx, message);
    afterCommit(tx, () => {
      if (!isAhead()) return;
      this.callListeners(message.text);
      this.sender.sendSoon(message);
    });
  }

  subscribe(topic: string, listener: (payload: unknown) => void): () => void {
    return this.topics.add(topic, listener);
  }

  onGap(listener: () => void): () => void {
    return this.gaps.add(GAP, listener);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.beats) clearInterval(this.beats);
    await this.sender.close();
    this.topics.clear();
    this.gaps.clear();
    await this.sql.close({ timeout: 1 });
  }

  private async listen(): Promise<void> {
    const { sql } = this;
    try {
      await sql.listen(
        CHANNEL,
        (text) => this.receive(text),
        () => this.onListen(),
      );
    } catch (error) {
      await sql.close({ timeout: 0 });
      throw error;
    }
  }

  /** Called when the connection starts to listen, and again after every reconnect. */
  private onListen(): void {
    this.heartbeat.heard();
    this.echoes.clear();
    if (this.isListening) this.gaps.call(GAP);
    this.isListening = true;
  }

  private beat(): void {
    const state = this.heartbeat.beat();
    if (state === 'ask') void this.sql.notify(CHANNEL, PING).catch(() => {});
    if (state === 'deaf') this.reconnect();
    this.sendOverdue().catch((error) => {
      // A later beat tries again.
      if (!isUnavailable(error)) this.options.onError(error);
    });
  }

  private async notify(messages: Message[]): Promise<void> {
    const text = messages.map((message) => message.text).join(SEPARATOR);
    const ids = messages.flatMap(({ id }) => id ?? []).join(' ');
    for (let attempt = 1; ; attempt += 1) {
      try {
        await toDatabaseError(
          ids ? this.sendFromOutbox(text, ids) : this.sql.notify(CHANNEL, text),
        );
        return;
      } catch (error) {
        if (this.isClosed || attempt === MAX_ATTEMPTS || !isUnavailable(error)) throw error;
        await Bun.sleep(attempt * RETRY_DELAY_MS);
      }
    }
  }

  private async sendFromOutbox(text: string, ids: string): Promise<void> {
    await this.sql`
      with sent as (delete from event_outbox where id = any (string_to_array(${ids}, ' ')))
      select pg_notify(${CHANNEL}, ${text})`;
  }

  /**
   * Sends what is left in the outbox, because its process has died or has not learnt of the commit. Others may do the
   * same at the same moment: who deletes a row sends it.
   */
  private async sendOverdue(): Promise<void> {
    const before = firstIdAt(Date.now() - OVERDUE_MS);
    for (;;) {
      const sent = await toDatabaseError(
        this.sql`
          with overdue as (
            select id, sum(octet_length(text) + 1) over (order by id) as bytes
            from (select id, text from event_outbox where id < ${before} order by id limit ${SWEEP_SIZE}) as oldest
          ), sent as (
            delete from event_outbox
            where id in (select id from overdue where bytes <= ${MAX_BYTES + 1}) returning id, text
          )
          select pg_notify(${CHANNEL}, string_agg(text, ${SEPARATOR} order by id))
          from sent having count(*) > 0`,
      );
      if (sent.length === 0) return;
    }
  }

  /** Reports a gap at once, because the database may be away for long, and another one when it is back. */
  private reconnect(): void {
    this.gaps.call(GAP);
    void this.sql.close({ timeout: 0 }).catch(() => {});
    this.sql = connect(this.options.url);
    // Where it fails, a later beat tries again.
    void this.listen().catch(() => {});
  }

  private receive(text: string): void {
    this.heartbeat.heard();
    for (const message of text.split(SEPARATOR)) {
      if (!this.echoes.isOwn(message)) this.hear(message);
    }
  }

  /**
   * Calls the listeners of this process in a microtask, so that what one of them publishes comes after the event
   * it was called for.
   */
  private callListeners(text: string): void {
    queueMicrotask(() => this.hear(text));
  }

  private hear(text: string): void {
    try {
      const { topic, payload } = decodeMessage(text);
      this.topics.call(topic, payload);
    } catch (error) {
      this.options.onError(error);
    }
  }
}

const insertMessage = prepareStatement((tx, message: EventOutboxRow) =>
  tx.insertInto('event_outbox').values(message),
);

/**
 * Events are sent on one connection, beside the one that listens: on several they could overtake each
 * other.
 */
const connect = (url: string) => new SQL(url, { max: 1 });
