import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../tests/support/server/engines.ts';
import { insertUser } from '../features/accounts/store.ts';
import { apiKeyHashes, newPrimaryKey, openApiKey } from '../features/buckets/api-keys/api-key.ts';
import { insertApiKey, replacePrimaryKey } from '../features/buckets/api-keys/api-keys-store.ts';
import { newBucketRow } from '../features/buckets/new-bucket-row.ts';
import { bucketByKeyHash, insertBucket } from '../features/buckets/store.ts';
import { currentSecret, firstSecret } from '../features/buckets/webhooks/webhook-secret-store.ts';
import { runStatements } from '../platform/db/batch.ts';
import type { Database } from '../platform/db/port.ts';
import { openMemoryEvents } from '../platform/events/memory.ts';
import { createMailQueue } from '../platform/mail/enqueue-mail.ts';
import { Queue } from '../platform/queue/queue.ts';
import { countStale, resealAll } from '../platform/secrets/reseal.ts';
import { deriveKeys, formatSecrets, type Keys } from '../platform/secrets/secrets.ts';
import { webhookAttemptInsertions } from '../platform/webhooks/outbox-store.ts';
import { sealTarget, unsealTarget } from '../platform/webhooks/target.ts';

const OLD = 'old '.repeat(8);
const NEW = 'new '.repeat(8);
const old = deriveKeys(OLD);
const both = deriveKeys(formatSecrets(NEW, OLD));
const current = deriveKeys(NEW);
const NOW = Date.parse('2026-01-01T00:00:00Z');
/** More than two slices. */
const BUCKETS = 250;

/** Seals something of every kind with a secret, and returns the API keys by bucket. */
async function sealEverything(database: Database, keys: Keys) {
  const user = {
    id: 'user',
    email: 'a@example.com',
    email_key: 'a@example.com',
    password_hash: '',
    status: 'active' as const,
    banned_at: null,
    max_bytes: null,
    created_at: NOW,
  };
  const rows = Array.from({ length: BUCKETS }, (_, n) => {
    const row = newBucketRow(NOW + n, { userId: 'user', name: `b${n}`, region: null });
    return { ...row, webhook_secret_sealed: firstSecret(keys, row.id) };
  });
  const apiKeys = rows.map((row) => newPrimaryKey(keys, row));
  const target = { url: 'https://example.com/hook', secrets: ['whsec_x'] };
  await database.transaction(async (tx) => {
    await insertUser(tx, user);
    for (const row of rows) await insertBucket(tx, row);
    for (const row of apiKeys) await insertApiKey(tx, row);
    const deliveries = webhookAttemptInsertions(tx, [
      {
        id: 'delivery',
        bucketId: rows[0]?.id ?? '',
        owner: 'user',
        type: 'file.success',
        body: '{}',
        targetSealed: sealTarget(keys, target, 'delivery'),
        step: 0,
        now: NOW,
      },
    ]);
    await runStatements(tx, deliveries);
  });
  return new Map(apiKeys.map((row) => [row.bucket_id, openApiKey(keys, row)]));
}

const bucketRows = ({ db }: Database) => db.selectFrom('buckets').selectAll().execute();
const keyRows = ({ db }: Database) => db.selectFrom('api_keys').selectAll().execute();

/** Expects that everything opens with these keys. */
async function expectReadable(database: Database, keys: Keys, apiKeys: Map<string, string>) {
  for (const row of await keyRows(database)) {
    const apiKey = apiKeys.get(row.bucket_id) ?? '';
    expect(openApiKey(keys, row)).toBe(apiKey);
    const found = await bucketByKeyHash(database.db, apiKeyHashes(keys, apiKey));
    expect(found?.bucket.id).toBe(row.bucket_id);
  }
  for (const row of await bucketRows(database)) {
    const sealed = row.webhook_secret_sealed ?? '';
    expect(currentSecret(keys, { id: row.id, webhook_secret_sealed: sealed })).toStartWith(
      'whsec_',
    );
  }
  const delivery = await database.db
    .selectFrom('webhook_deliveries')
    .select(['id', 'target_sealed'])
    .executeTakeFirstOrThrow();
  expect(unsealTarget(keys, delivery.target_sealed, delivery.id).secrets).toEqual(['whsec_x']);
}

/** A database that dies at the start of its nth transaction. */
function dyingAt(database: Database, count: number): Database {
  let left = count;
  return {
    ...database,
    db: database.db,
    transaction: (work) => {
      left -= 1;
      if (left <= 0) throw new Error('killed');
      return database.transaction(work);
    },
  };
}

await describeEachEngine('encrypting everything again', (openDatabase) => {
  test('is finished by another run after a kill, and everything can be read throughout', async () => {
    const database = await openDatabase();
    const apiKeys = await sealEverything(database, old);
    expect(await countStale({ database, keys: both })).toBe(2 * BUCKETS + 1);
    const killed = resealAll({ database: dyingAt(database, 3), keys: both });
    await expect(killed).rejects.toThrow('killed');
    const left = await countStale({ database, keys: both });
    expect(left).toBeGreaterThan(BUCKETS);
    expect(left).toBeLessThan(2 * BUCKETS);
    await expectReadable(database, both, apiKeys);
    expect(await resealAll({ database, keys: both })).toBe(left);
    expect(await countStale({ database, keys: both })).toBe(0);
    expect(await resealAll({ database, keys: both })).toBe(0);
    await expectReadable(database, current, apiKeys);
  });

  test('leaves what was changed meanwhile, and what no secret opens', async () => {
    const database = await openDatabase();
    const apiKeys = await sealEverything(database, old);
    const [first, second] = [...apiKeys.keys()];
    const damaged = 'A'.repeat(80);
    const rolled = newPrimaryKey(both, { id: first ?? '', created_at: NOW });
    await database.db
      .updateTable('api_keys')
      .set({ key_sealed: damaged })
      .where('id', '=', second ?? '')
      .execute();
    // The key is rolled between the read of the slice and its write.
    let isRolled = false;
    const racing: Database = {
      ...database,
      db: database.db,
      transaction: async (work) => {
        if (!isRolled) {
          isRolled = true;
          await replacePrimaryKey(database.db, first ?? '', rolled);
        }
        return database.transaction(work);
      },
    };
    await resealAll({ database: racing, keys: both });
    const rows = new Map((await keyRows(database)).map((row) => [row.id, row]));
    expect(rows.get(first ?? '')?.key_sealed).toBe(rolled.key_sealed);
    expect(rows.get(second ?? '')?.key_sealed).toBe(damaged);
    expect(await countStale({ database, keys: both })).toBe(0);
  });

  test('includes the mails that wait, which are sent with either secret', async () => {
    const database = await openDatabase();
    const sent: string[] = [];
    const mailer = { send: async ({ to }: { to: string }) => void sent.push(to) };
    const open = (keys: Keys) => {
      const events = openMemoryEvents({ onError: () => {} });
      const queue = new Queue({ database, clock: () => NOW, events, onError: () => {} });
      return { queue, enqueue: createMailQueue(queue, mailer, keys, () => NOW) };
    };
    const before = open(old);
    await before.enqueue(database.db, { to: 'one@example.com', subject: '', text: '' });
    await before.enqueue(database.db, { to: 'two@example.com', subject: '', text: '' });
    expect(await resealAll({ database, keys: both })).toBe(2);
    await before.enqueue(database.db, { to: 'three@example.com', subject: '', text: '' });
    const after = open(both);
    await after.queue.start({ isOnlyProcess: true });
    while (sent.length < 3) await Bun.sleep(5);
    await after.queue.stop();
    expect(sent.toSorted()).toEqual(['one@example.com', 'three@example.com', 'two@example.com']);
  });
});
