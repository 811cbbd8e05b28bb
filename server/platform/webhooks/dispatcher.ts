import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/port.ts';
import { growingTo } from '../growing-cache.ts';
import type { Keys } from '../secrets/secrets.ts';
import { WebhookAttemptSlots } from './attempt-slots.ts';
import { WebhookAttemptTurns } from './attempt-turns.ts';
import { releaseAllWebhookAttempts } from './due-store.ts';
import * as outbox from './outbox-store.ts';
import { delayAfter } from './schedule.ts';
import type { Outcome, Send } from './send.ts';
import type { WebhookAttemptRow } from './tables.ts';
import { type Target, unsealTarget } from './target.ts';
import { trimBucket } from './trim-store.ts';

const POLL_INTERVAL_MS = SECOND;
/** This must be longer than an attempt can take. */
export const LEASE_MS = MINUTE;
const TRIM_INTERVAL_MS = 10 * MINUTE;
const MAX_TRIMMED = 10_000;
const HTTP_GONE = 410;
const NOTHING_SENT = { status: null, retryAfter: null, request: null };
const SEND_FAILED: Outcome = { ...NOTHING_SENT, text: 'The request could not be sent.' };
const WEBHOOK_OFF: Outcome = { ...NOTHING_SENT, text: 'The webhook is disabled.' };

/**
 * Delivers the outbox, each delivery at least once; the `webhook-id` is the same in all attempts, so
 * receivers can ignore repeats. Several processes can deliver from one database.
 */
export class WebhookDispatcher {
  private readonly slots: WebhookAttemptSlots;
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private timer: ReturnType<typeof setInterval> | null = null;
  private filling: Promise<void> | null = null;
  private readonly turns: WebhookAttemptTurns;
  /** When the deliveries of a bucket were trimmed. */
  private readonly trimmedAt = new LRUCache<string, number>(growingTo(MAX_TRIMMED));

  constructor(
    private readonly deps: {
      database: Database;
      keys: Keys;
      clock: Clock;
      send: Send;
      /**
       * Returns where a delivery goes now: 'off' where the webhook is disabled, 'gone' where the bucket is
       * deleted.
       */
      targetOf: (delivery: WebhookAttemptRow) => Promise<Target | 'off' | 'gone'>;
      /** Called after every attempt, before its outcome is written to the outbox. */
      onOutcome: (delivery: WebhookAttemptRow, url: string, outcome: Outcome) => Promise<void>;
      onError: (error: unknown) => void;
      random?: () => number;
    },
  ) {
    this.slots = new WebhookAttemptSlots(deps.clock);
    this.turns = new WebhookAttemptTurns({ ...deps, slots: this.slots, leaseMs: LEASE_MS });
  }

  /** Delivers all that is due, and waits for the responses. */
  async round(): Promise<void> {
    do {
      await this.fill(Infinity);
      await Promise.all(this.running);
    } while (this.running.size > 0 || this.filling);
  }

  /**
   * Makes an attempt of a claimed delivery while the caller waits. The outcome is written to the outbox.
   * Where no slot is free, the delivery waits there for its turn.
   */
  attempt(row: WebhookAttemptRow): Promise<void> {
    const { database, clock } = this.deps;
    const { slots } = this;
    const canStart = slots.canStart(row.owner) && !slots.busyBuckets().includes(row.bucket_id);
    return canStart
      ? this.begin(row, true)
      : outbox.releaseWebhookAttempt(database.db, row, clock());
  }

  /**
   * Starts to deliver.
   * @param options.isOnlyProcess no other process uses this database, so all claims are those of one that
   *   has died
   */
  async start({ isOnlyProcess }: { isOnlyProcess: boolean }): Promise<void> {
    const { database, clock } = this.deps;
    const now = clock();
    if (isOnlyProcess) await releaseAllWebhookAttempts(database.db, { now, until: now + LEASE_MS });
    this.timer = setInterval(() => void this.fill(Infinity), POLL_INTERVAL_MS);
    void this.fill();
  }

  /** Aborts running attempts and releases their deliveries, so that the next process attempts them again. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.stopping.abort(new Error('the server is stopping'));
    await this.filling;
    await Promise.all(this.running);
  }

  private fill(batches = 1): Promise<void> {
    this.turns.extend(batches);
    this.filling ??= this.fillSlots()
      .catch(this.deps.onError)
      .finally(() => {
        this.filling = null;
      });
    return this.filling;
  }

  private async fillSlots(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    for await (const row of this.turns.claims()) {
      void this.begin(row);
      if (this.stopping.signal.aborted) return;
    }
  }

  /**
   * @param isAwaited whether a caller waits for the attempt, which then fails instead of being postponed
   *   when it breaks
   */
  private begin(row: WebhookAttemptRow, isAwaited = false): Promise<void> {
    const { slots, running } = this;
    const slot = slots.take(row);
    let isAccepted: boolean | null = null;
    const work = this.deliver(row)
      .then((result) => {
        isAccepted = result;
      })
      .catch((error) => this.handleBreak(row, error, isAwaited))
      .catch(this.deps.onError)
      .finally(() => {
        slots.free(slot, isAccepted);
        void this.fill();
      });
    const end = work
      .then(() => this.trim(row.bucket_id))
      .catch((error) => {
        if (!this.stopping.signal.aborted) this.deps.onError(error);
      })
      .finally(() => running.delete(end));
    running.add(end);
    return work;
  }

  /** A bucket that has deliveries gets attempts, so that it is trimmed now and then after one of them. */
  private async trim(bucketId: string): Promise<void> {
    const { database, clock } = this.deps;
    const now = clock();
    if (now - (this.trimmedAt.get(bucketId) ?? 0) < TRIM_INTERVAL_MS) return;
    this.trimmedAt.set(bucketId, now);
    const { signal } = this.stopping;
    await trimBucket(database.db, bucketId, { now, signal });
  }

  /** Returns whether the endpoint accepted the delivery; null where it was not sent. */
  private async deliver(row: WebhookAttemptRow): Promise<boolean | null> {
    const { keys, send, targetOf, onOutcome } = this.deps;
    const current = await targetOf(row);
    if (current === 'off') {
      await this.settle(row, WEBHOOK_OFF, false);
      return null;
    }
    const target = current === 'gone' ? unsealTarget(keys, row.target_sealed, row.id) : current;
    // The stop may have begun since the claim: a signal that has aborted tells its later listeners nothing.
    this.stopping.signal.throwIfAborted();
    const outcome = await send(target, row, this.stopping.signal);
    // The webhook is updated before the attempt can be seen as finished.
    await onOutcome(row, target.url, outcome);
    await this.settle(row, outcome, outcome.status !== HTTP_GONE);
    return isSuccess(outcome);
  }

  private async handleBreak(
    row: WebhookAttemptRow,
    error: unknown,
    isAwaited: boolean,
  ): Promise<void> {
    const { database, clock, onError } = this.deps;
    const isStopping = this.stopping.signal.aborted;
    if (!isStopping) onError(error);
    if (isAwaited && !isStopping) return this.settle(row, SEND_FAILED, false);
    await outbox.releaseWebhookAttempt(database.db, row, clock() + (isStopping ? 0 : LEASE_MS));
  }

  private async settle(row: WebhookAttemptRow, outcome: Outcome, mayRetry: boolean): Promise<void> {
    const { database, clock, random = Math.random } = this.deps;
    const now = clock();
    const isDelivered = isSuccess(outcome);
    const delay =
      isDelivered || !mayRetry ? null : delayAfter(row.step, outcome.retryAfter, random);
    await outbox.settleWebhookAttempt(database.db, row, {
      state: isDelivered ? 'delivered' : delay === null ? 'failed' : 'waiting',
      step: row.step + 1,
      due_at: now + (delay ?? 0),
      answer_status: outcome.status,
      answer_text: outcome.text,
      sent_url: outcome.request?.url ?? null,
      sent_headers: outcome.request && JSON.stringify(outcome.request.headers),
      finished_at: delay === null ? now : null,
    });
  }
}

const isSuccess = ({ status }: Outcome) => status !== null && status >= 200 && status < 300;
