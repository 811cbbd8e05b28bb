import { SECOND } from '../../../contract/limits.ts';
import type { DeliveryWire, FileWire, Page, WebhookType } from '../../../contract/wire.ts';
import { conflict, notFound, tooMany } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type ListRange, toPage } from '../../../platform/db/listing.ts';
import type { Database, Executor } from '../../../platform/db/port.ts';
import type { BucketRow, WebhookDeliveryRow } from '../../../platform/db/tables.ts';
import { newId } from '../../../platform/ids.ts';
import type { Keys } from '../../../platform/secrets/keys.ts';
import { LEASE_MS } from '../../../platform/webhooks/dispatcher.ts';
import * as outbox from '../../../platform/webhooks/outbox.ts';
import { sealTarget, type Target } from '../../../platform/webhooks/resolve-target.ts';
import { RETRY_DELAYS } from '../../../platform/webhooks/schedule.ts';
import type { Outcome } from '../../../platform/webhooks/send.ts';
import { createBucketAudit } from '../audit.ts';
import { bucketById } from '../store.ts';
import { currentSecret, firstSecret, rolledSecret, signingSecrets } from './webhook-secret.ts';
import * as store from './webhook-store.ts';

export type Webhooks = ReturnType<typeof createWebhooks>;
export type FileNews = { type: Exclude<WebhookType, 'webhook.test'>; file: FileWire };

const TEST = 'webhook.test';
const GONE = 410;

/** What a bucket tells its webhook, and what its owner may see and do about that. */
export function createWebhooks(options: {
  database: Database;
  keys: Keys;
  clock: Clock;
  /** The courier's attempt of a claimed delivery, at once. */
  attempt: (delivery: WebhookDeliveryRow) => Promise<void>;
}) {
  const { database, keys, clock, attempt } = options;
  const { db } = database;
  const note = createBucketAudit(clock);

  const owned = async (userId: string, id: string): Promise<BucketRow> => {
    const row = await bucketById(db, id);
    if (!row || row.user_id !== userId) throw notFound('Bucket');
    return row;
  };

  const withSecret = async (executor: Executor, row: BucketRow): Promise<store.WithSecret> => {
    const known = row.webhook_secret_sealed;
    if (known) return { ...row, webhook_secret_sealed: known };
    await store.putFirstSecret(executor, row.id, firstSecret(keys, row.id));
    const made = (await bucketById(executor, row.id))?.webhook_secret_sealed;
    if (!made) throw notFound('Bucket');
    return { ...row, webhook_secret_sealed: made };
  };

  const targetFor = async (executor: Executor, row: BucketRow): Promise<Target> => ({
    url: row.webhook,
    secrets: signingSecrets(keys, await withSecret(executor, row), clock()),
  });

  const post = async (
    tx: Executor,
    row: BucketRow,
    events: { type: WebhookType; data: object }[],
    step: number,
  ): Promise<string[]> => {
    const now = clock();
    const target = await targetFor(tx, row);
    const timestamp = new Date(now).toISOString();
    const deliveries = events.map(({ type, data }) => {
      const id = newId(now);
      const body = JSON.stringify({ type, timestamp, data });
      return {
        id,
        bucketId: row.id,
        type,
        body,
        targetSealed: sealTarget(keys, target, id),
        step,
        now,
      };
    });
    await outbox.addDeliveries(tx, deliveries);
    return deliveries.map(({ id }) => id);
  };

  const one = async (bucketId: string, id: string): Promise<DeliveryWire> => {
    const row = await outbox.deliveryOf(db, bucketId, id);
    if (!row) throw notFound('Delivery');
    return toWire(row);
  };

  return {
    /** Puts news of files into the outbox, in the transaction that makes them true. */
    async announce(tx: Executor, bucketId: string, news: FileNews[]): Promise<void> {
      const row = news.length > 0 ? await bucketById(tx, bucketId) : undefined;
      if (!row?.webhook || row.webhook_disabled_at !== null) return;
      const events = news.map(({ type, file }) => ({ type, data: { file } }));
      await post(tx, row, events, 0);
    },

    /** The secret that signs; made now if there is none. Throws not-found. */
    async secret(userId: string, bucketId: string): Promise<string> {
      return currentSecret(keys, await withSecret(db, await owned(userId, bucketId)));
    },

    /** Makes a new secret. For a day the old one signs beside it. Throws not-found, conflict. */
    async rollSecret(userId: string, bucketId: string): Promise<string> {
      const row = await withSecret(db, await owned(userId, bucketId));
      const next = rolledSecret(keys, row, clock());
      await database.transaction(async (tx) => {
        if (!(await store.replaceSecret(tx, bucketId, row.webhook_secret_sealed, next))) {
          throw conflict('The secret is being rolled already.');
        }
        await note(tx, row, 'webhook-secret-rolled', { userId });
      });
      return currentSecret(keys, { id: row.id, webhook_secret_sealed: next });
    },

    /** Newest first. Throws not-found. */
    async deliveries(
      userId: string,
      bucketId: string,
      range: ListRange,
    ): Promise<Page<DeliveryWire>> {
      await owned(userId, bucketId);
      return toPage(await outbox.listDeliveries(db, bucketId, range), range.limit, toWire);
    },

    /** Sends a delivery again, with its old id and its whole schedule. Throws not-found, conflict. */
    async replay(userId: string, bucketId: string, id: string): Promise<DeliveryWire> {
      const row = await owned(userId, bucketId);
      const { type } = await one(bucketId, id);
      if (!row.webhook || row.webhook_disabled_at !== null) throw conflict('The webhook is off.');
      if (!(await outbox.restartDelivery(db, { id, step: firstStep(type), now: clock() }))) {
        throw conflict('It is being delivered right now.');
      }
      return one(bucketId, id);
    },

    /**
     * Sends an event that means nothing, once and now: what it returns tells what came back. Where it
     * is taken, the webhook is on again. Throws not-found, conflict, too-many.
     */
    async test(userId: string, bucketId: string): Promise<DeliveryWire> {
      const row = await owned(userId, bucketId);
      if (!row.webhook) throw conflict('Save a webhook URL first.');
      if (await outbox.waits(db, bucketId, TEST)) {
        throw tooMany('A test is on its way already.', 5 * SECOND);
      }
      const events = [{ type: TEST, data: { bucket: bucketId } } as const];
      const delivery = await database.transaction(async (tx) => {
        const [id = ''] = await post(tx, row, events, firstStep(TEST));
        const now = clock();
        return outbox.claimNewDelivery(tx, id, { token: newId(now), now, until: now + LEASE_MS });
      });
      await attempt(delivery);
      return one(bucketId, delivery.id);
    },

    /** For the courier. */
    async targetOf(delivery: WebhookDeliveryRow): Promise<Target | 'off' | 'gone'> {
      const row = await bucketById(db, delivery.bucket_id);
      if (!row) return 'gone';
      const isOff = row.webhook_disabled_at !== null && delivery.type !== TEST;
      return row.webhook && !isOff ? targetFor(db, row) : 'off';
    },

    /** An endpoint that is gone gets no more; a test that is taken turns its webhook on again. */
    async heed({ bucket_id, type }: WebhookDeliveryRow, url: string, { status }: Outcome) {
      if (status === GONE) await store.setDisabled(db, bucket_id, url, clock());
      const isTaken = status !== null && status >= 200 && status < 300;
      if (type === TEST && isTaken) await store.setDisabled(db, bucket_id, url, null);
    },
  };
}

/** A test is attempted once; its owner, who waits for it, sends another. */
const firstStep = (type: WebhookType) => (type === TEST ? RETRY_DELAYS.length : 0);

const toWire = (row: WebhookDeliveryRow): DeliveryWire => ({
  id: row.id,
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  status: row.answer_status,
  answer: row.answer_text,
  date: new Date(row.created_at).toISOString(),
  next: row.state === 'waiting' ? new Date(nextAttempt(row)).toISOString() : null,
});

/** While one is under way that is the next: `due_at` is when its courier counts as dead. */
const nextAttempt = ({ claim, attempted_at, due_at }: WebhookDeliveryRow) =>
  claim === null ? due_at : Math.min(attempted_at ?? due_at, due_at);
