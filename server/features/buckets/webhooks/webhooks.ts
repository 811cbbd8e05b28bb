import { MAX_REPLAYED_EVENTS, SECOND } from '../../../contract/limits.ts';
import type {
  FileWire,
  Page,
  WebhookAttemptDetailWire,
  WebhookAttemptState,
  WebhookAttemptWire,
  WebhookType,
} from '../../../contract/wire.ts';
import { conflict, notFound, tooMany } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { runStatements, type Statement } from '../../../platform/db/batch.ts';
import { type ListRange, toPage } from '../../../platform/db/listing.ts';
import type { Database, Executor } from '../../../platform/db/port.ts';
import { findRepeatedRequest } from '../../../platform/idempotency/idempotency-store.ts';
import { newId } from '../../../platform/ids.ts';
import type { Keys } from '../../../platform/secrets/secrets.ts';
import { LEASE_MS } from '../../../platform/webhooks/dispatcher.ts';
import * as outbox from '../../../platform/webhooks/outbox-store.ts';
import { RETRY_DELAYS_MS } from '../../../platform/webhooks/schedule.ts';
import type { Outcome } from '../../../platform/webhooks/send.ts';
import type { WebhookAttemptRow } from '../../../platform/webhooks/tables.ts';
import { sealTarget, type Target } from '../../../platform/webhooks/target.ts';
import { recordBucketAudit } from '../audit.ts';
import { lockBucket } from '../lock-store.ts';
import { requireOwnedBucket } from '../store.ts';
import type { BucketRow } from '../tables.ts';
import { toWebhookAttemptDetailWire, toWebhookAttemptWire } from '../wire.ts';
import { hasWebhook } from './has-webhook.ts';
import * as secrets from './webhook-secret-store.ts';

/** An event about a file, for the webhook of its bucket. */
export type FileNews = { type: Extract<WebhookType, `file.${string}`>; file: FileWire };

/** An event, and the id that its delivery gets where that is known already. */
type WebhookEvent = { type: WebhookType; data: object; id?: string };

/** Which deliveries are meant; an empty text limits nothing. */
type EventFilter = Pick<ListRange, 'from' | 'to' | 'tz'> & { type?: WebhookType | '' };

/** How many deliveries one statement sends again. */
const REPLAY_BATCH_SIZE = 200;
const TEST = 'webhook.test';
const HTTP_GONE = 410;
const TEST_RETRY_DELAY_MS = 5 * SECOND;

export type WebhookDeps = {
  database: Database;
  keys: Keys;
  clock: Clock;
  /** Makes the dispatcher attempt a claimed delivery at once. */
  attempt: (delivery: WebhookAttemptRow) => Promise<void>;
};

/** The webhooks of buckets: their events, their secrets and their deliveries. */
export class Webhooks {
  constructor(private readonly deps: WebhookDeps) {}

  /** Returns the statements that add events to the outbox, for the batch or the transaction that changes the files. */
  async announcements(db: Executor, bucketId: string, news: FileNews[]): Promise<Statement[]> {
    const events = news.map(({ type, file }) => ({ type, data: { file } }));
    return events.length > 0 ? this.deliveriesIfEnabled(db, bucketId, events) : [];
  }

  /**
   * Adds the event that a bucket was deleted with all its files, in the transaction that deletes its
   * row.
   */
  async announceDeletion(tx: Executor, bucketId: string): Promise<void> {
    const event = { type: 'bucket.deleted', data: { bucket: bucketId } } as const;
    await runStatements(tx, await this.deliveriesIfEnabled(tx, bucketId, [event]));
  }

  /** Returns the current secret, and creates one where there is none. Throws not-found. */
  async secret(userId: string, bucketId: string): Promise<string> {
    const row = await this.owned(userId, bucketId);
    return secrets.currentSecret(this.deps.keys, await this.withSecret(this.deps.database.db, row));
  }

  /**
   * Rotates the secret and returns the new one. For a day the old one signs too. Throws not-found,
   * conflict.
   */
  async rotateSecret(userId: string, bucketId: string): Promise<string> {
    const { database, keys, clock } = this.deps;
    const bucket = await this.owned(userId, bucketId);
    const row = await this.withSecret(database.db, bucket);
    const next = secrets.rolledSecret(keys, row, clock());
    await database.transaction(async (tx) => {
      if (!(await secrets.replaceSecret(tx, bucketId, row.webhook_secret_sealed, next))) {
        throw conflict('The secret is already being rotated.');
      }
      await recordBucketAudit(tx, clock(), bucket, 'webhook-secret-rolled', { userId });
    });
    return secrets.currentSecret(keys, { id: row.id, webhook_secret_sealed: next });
  }

  /** Returns a page of the deliveries, newest first. Throws not-found. */
  async deliveries(
    userId: string,
    bucketId: string,
    { type, state, ...range }: ListRange & EventFilter & { state?: WebhookAttemptState | '' },
  ): Promise<Page<WebhookAttemptWire>> {
    await this.owned(userId, bucketId);
    const filter = { ...range, ...(type && { type }), ...(state && { state }) };
    const rows = await outbox.listWebhookAttempts(this.deps.database.db, bucketId, filter);
    return toPage(rows, range.limit, toWebhookAttemptWire);
  }

  /** Returns a delivery with its payload, and with what its last attempt sent. Throws not-found. */
  async attempt(userId: string, bucketId: string, id: string): Promise<WebhookAttemptDetailWire> {
    await this.owned(userId, bucketId);
    return toWebhookAttemptDetailWire(await this.deliveryRow(bucketId, id));
  }

  /**
   * Sends a delivery again, with the same id and all attempts of the schedule. Throws not-found,
   * conflict.
   */
  async replay(userId: string, bucketId: string, id: string): Promise<WebhookAttemptWire> {
    const { database, clock } = this.deps;
    const row = await this.owned(userId, bucketId);
    const { type } = await this.deliveryRow(bucketId, id);
    requireEnabled(row);
    const restart = { id, step: firstStep(type), now: clock() };
    if (!(await outbox.restartWebhookAttempt(database.db, restart))) {
      throw conflict('This delivery is in progress.');
    }
    return this.delivery(bucketId, id);
  }

  /**
   * Sends deliveries again that match, the oldest first, as `replay` does. Tests and what is being sent are left out.
   * Throws not-found, conflict.
   */
  async replayAll(
    userId: string,
    bucketId: string,
    { type, state, ...days }: EventFilter & { state: WebhookAttemptState | 'undelivered' },
  ): Promise<{ replayed: number; has_more: boolean }> {
    const { database, clock } = this.deps;
    requireEnabled(await this.owned(userId, bucketId));
    const filter = { ...days, ...(type && { type }), state };
    const now = clock();
    let [replayed, after] = [0, ''];
    while (replayed < MAX_REPLAYED_EVENTS) {
      const position = { after, limit: REPLAY_BATCH_SIZE, now };
      const ids = await outbox.restartWebhookAttempts(database.db, bucketId, filter, position);
      replayed += ids.length;
      after = ids.at(-1) ?? '';
      if (ids.length < REPLAY_BATCH_SIZE) return { replayed, has_more: false };
    }
    return { replayed, has_more: true };
  }

  /**
   * Sends a test event now, with one attempt, and returns the delivery with its outcome. The
   * webhook is enabled again if the endpoint accepts the event. Throws not-found, conflict,
   * too-many.
   * @param idempotencyKey a repeated request with the same key returns the same delivery
   */
  async test(
    userId: string,
    bucketId: string,
    idempotencyKey?: string,
  ): Promise<WebhookAttemptWire> {
    const { database, clock, attempt } = this.deps;
    const delivery = await database.transaction(async (tx) => {
      // The lock makes tests that start at the same time see each other.
      await lockBucket(tx, bucketId);
      const row = await requireOwnedBucket(tx, userId, bucketId);
      if (!row.webhook) throw conflict('Save a webhook URL first.');
      const now = clock();
      const id = newId(now);
      const key = { userId, key: idempotencyKey, request: [TEST, bucketId], subjectId: id };
      const existing = await findRepeatedRequest(tx, key, now);
      if (existing !== null) return existing;
      if (await outbox.isTestPending(tx, bucketId)) {
        throw tooMany('A test is already being sent.', TEST_RETRY_DELAY_MS);
      }
      const event = { type: TEST, data: { bucket: bucketId }, id } as const;
      await runStatements(tx, await this.deliveriesOf(tx, row, [event], firstStep(TEST)));
      return outbox.claimNewWebhookAttempt(tx, id, {
        token: newId(now),
        now,
        until: now + LEASE_MS,
      });
    });
    if (typeof delivery === 'string') return this.delivery(bucketId, delivery);
    await attempt(delivery);
    return this.delivery(bucketId, delivery.id);
  }

  /** Returns the URL to which a delivery is sent, and the secrets that sign it. */
  async targetOf(delivery: WebhookAttemptRow): Promise<Target | 'off' | 'gone'> {
    const { db } = this.deps.database;
    const row = await secrets.webhookOf(db, delivery.bucket_id);
    if (!row) return 'gone';
    const isOff = row.webhook_disabled_at !== null && delivery.type !== TEST;
    return row.webhook && !isOff ? this.targetFor(db, row) : 'off';
  }

  /**
   * Disables a webhook whose endpoint answers 410 Gone, and enables it when the endpoint accepts a
   * test.
   */
  async applyOutcome(
    { bucket_id, type }: WebhookAttemptRow,
    url: string,
    { status }: Outcome,
  ): Promise<void> {
    const { database, clock } = this.deps;
    if (status === HTTP_GONE) await secrets.setDisabled(database.db, bucket_id, url, clock());
    const isAccepted = status !== null && status >= 200 && status < 300;
    if (type === TEST && isAccepted) await secrets.setDisabled(database.db, bucket_id, url, null);
  }

  private owned(userId: string, id: string): Promise<BucketRow> {
    return requireOwnedBucket(this.deps.database.db, userId, id);
  }

  private async deliveryRow(bucketId: string, id: string): Promise<WebhookAttemptRow> {
    const row = await outbox.deliveryOf(this.deps.database.db, bucketId, id);
    if (!row) throw notFound('Delivery');
    return row;
  }

  private async delivery(bucketId: string, id: string): Promise<WebhookAttemptWire> {
    return toWebhookAttemptWire(await this.deliveryRow(bucketId, id));
  }

  private async withSecret(
    executor: Executor,
    row: secrets.WebhookRow,
  ): Promise<secrets.WithSecret> {
    const existing = row.webhook_secret_sealed;
    if (existing) return { ...row, webhook_secret_sealed: existing };
    await secrets.putFirstSecret(executor, row.id, secrets.firstSecret(this.deps.keys, row.id));
    const sealed = (await secrets.webhookOf(executor, row.id))?.webhook_secret_sealed;
    if (!sealed) throw notFound('Bucket');
    return { ...row, webhook_secret_sealed: sealed };
  }

  private async targetFor(executor: Executor, row: secrets.WebhookRow): Promise<Target> {
    const { keys, clock } = this.deps;
    return {
      url: row.webhook,
      secrets: secrets.signingSecrets(keys, await this.withSecret(executor, row), clock()),
    };
  }

  private async deliveriesIfEnabled(
    db: Executor,
    bucketId: string,
    events: readonly WebhookEvent[],
  ): Promise<Statement[]> {
    const row = await secrets.webhookOf(db, bucketId);
    return row && hasWebhook(row) ? this.deliveriesOf(db, row, events, 0) : [];
  }

  /** Returns the statements that add a delivery of each event to the outbox. */
  private async deliveriesOf(
    db: Executor,
    row: secrets.WebhookRow,
    events: readonly WebhookEvent[],
    step: number,
  ): Promise<Statement[]> {
    const { keys, clock } = this.deps;
    const now = clock();
    const target = await this.targetFor(db, row);
    const timestamp = new Date(now).toISOString();
    const deliveries = events.map(({ type, data, id = newId(now) }) => {
      const body = JSON.stringify({ type, timestamp, data });
      const targetSealed = sealTarget(keys, target, id);
      return { id, bucketId: row.id, owner: row.user_id, type, body, targetSealed, step, now };
    });
    return outbox.webhookAttemptInsertions(db, deliveries);
  }
}

/** A test has one attempt, because the owner waits for its outcome and can send another one. */
const firstStep = (type: WebhookType) => (type === TEST ? RETRY_DELAYS_MS.length : 0);

/** Throws conflict for a bucket whose webhook is off. */
function requireEnabled({ webhook, webhook_disabled_at }: BucketRow): void {
  if (!webhook || webhook_disabled_at !== null) throw conflict('The webhook is disabled.');
}
