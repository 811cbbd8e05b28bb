import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { DAY, MAX_S3_KEYS, MINUTE } from '../../../contract/limits.ts';
import { resealAll } from '../../../platform/secrets/reseal.ts';
import { deriveKeys, formatSecrets } from '../../../platform/secrets/secrets.ts';
import { BUCKET_EVENTS } from '../../buckets/service.ts';
import { openUsageFixture } from '../../usage/testing/usage-fixture.ts';
import { S3Keys } from './service.ts';

const NOW = Date.UTC(2026, 10, 2);

await describeEachEngine('an S3 key', (openDatabase) => {
  async function open() {
    const fixture = await openUsageFixture(await openDatabase(), NOW);
    let passed = 0;
    const clock = () => NOW + passed;
    const keys = deriveKeys('secret');
    const deps = { ...fixture, keys, clock, isOn: true };
    const pass = (ms: number) => {
      passed += ms;
    };
    return { ...fixture, clock, pass, s3Keys: new S3Keys(deps), deps };
  }

  test('is not created where the S3 API is off', async () => {
    const { deps, userId } = await open();
    const s3Keys = new S3Keys({ ...deps, isOn: false });
    await expect(s3Keys.create(userId, { access: 'both' })).rejects.toMatchObject({ status: 409 });
    expect(await s3Keys.list(userId)).toEqual({ data: [] });
  });

  test('is shown with its secret once, which is stored sealed', async () => {
    const { s3Keys, userId, database } = await open();
    const created = await s3Keys.create(userId, { name: ' Backup ', access: 'read' });
    expect(created.access_key_id).toMatch(/^WHRF[A-Z2-7]{16}$/);
    expect(created.secret_access_key).toMatch(/^[\w-]{40}$/);
    const { secret_access_key, ...shown } = created;
    expect(shown).toMatchObject({ name: 'Backup', access: 'read', buckets: null, last_used: null });
    expect(await s3Keys.list(userId)).toEqual({ data: [shown] });
    const rows = await database.db.selectFrom('s3_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret_access_key);
    const found = await s3Keys.find(created.access_key_id);
    expect(found?.secret.read()).toBe(secret_access_key);
    expect(found?.principal).toMatchObject({ kind: 's3-key', userId, access: 'read' });
  });

  test('works after its secret is sealed with a new APP_SECRET, and not without that', async () => {
    const { s3Keys, deps, userId, database } = await open();
    const created = await s3Keys.create(userId, { access: 'both' });
    const rotated = deriveKeys(formatSecrets('new secret', 'secret'));
    const [before, after] = [deriveKeys('new secret'), deriveKeys('new secret')];
    const secretOf = async (keys: typeof rotated) =>
      (await new S3Keys({ ...deps, keys }).find(created.access_key_id))?.secret.read();
    expect(await secretOf(rotated)).toBe(created.secret_access_key);
    await expect(secretOf(before)).rejects.toThrow();
    await resealAll({ database, keys: rotated });
    expect(await secretOf(after)).toBe(created.secret_access_key);
  });

  test('opens only buckets of its account, which are named', async () => {
    const { s3Keys, userId, makeBucket, makeUser, buckets } = await open();
    const [own, other] = [await makeBucket(), await makeBucket()];
    const key = await s3Keys.create(userId, { access: 'both', buckets: [own, own] });
    expect(key.buckets).toEqual([own]);
    const found = await s3Keys.find(key.access_key_id);
    expect(found?.principal.bucketIds).toEqual([own]);
    expect(found?.principal.bucketIds).not.toContain(other);
    const stranger = await makeUser('b@example.com');
    const { id: foreign } = await buckets.create(stranger, { name: 'Foreign' });
    for (const unknown of [foreign, 'none', 'x'.repeat(26)]) {
      const form = { access: 'both' as const, buckets: [own, unknown] };
      await expect(s3Keys.create(userId, form)).rejects.toMatchObject({ status: 404 });
    }
    expect((await s3Keys.list(userId)).data).toHaveLength(1);
  });

  test('is deleted by its account alone, and opens nothing afterwards', async () => {
    const { s3Keys, deps, userId } = await open();
    const { id, access_key_id } = await s3Keys.create(userId, { access: 'both' });
    await expect(s3Keys.delete('another', id)).rejects.toMatchObject({ status: 404 });
    expect(await s3Keys.find(access_key_id)).toBeDefined();
    // Another process hears of it.
    const elsewhere = new S3Keys(deps);
    expect(await elsewhere.find(access_key_id)).toBeDefined();
    await s3Keys.delete(userId, id);
    expect(await s3Keys.find(access_key_id)).toBeUndefined();
    expect(await elsewhere.find(access_key_id)).toBeUndefined();
    await expect(s3Keys.delete(userId, id)).rejects.toMatchObject({ status: 404 });
  });

  test('is refused from its expiry on', async () => {
    const { s3Keys, userId, pass, clock } = await open();
    const expires_at = new Date(NOW + DAY).toISOString();
    const { access_key_id } = await s3Keys.create(userId, { access: 'both', expires_at });
    const use = async () => (await s3Keys.find(access_key_id))?.use(clock());
    pass(DAY - 1);
    expect(await use()).toBeUndefined();
    pass(1);
    await expect(use()).rejects.toMatchObject({ code: 'AccessDenied' });
    for (const past of [new Date(NOW).toISOString(), '2026-02-30T00:00:00Z', 'soon']) {
      const form = { access: 'both', expires_at: past } as const;
      await expect(s3Keys.create(userId, form)).rejects.toMatchObject({ status: 422 });
    }
  });

  test.each(['banned', 'deleting'] as const)(
    'is refused while its account is %s',
    async (status) => {
      const { s3Keys, userId, database, clock, events } = await open();
      const { access_key_id } = await s3Keys.create(userId, { access: 'both' });
      const use = async () => (await s3Keys.find(access_key_id))?.use(clock());
      await use();
      const setStatus = async (to: 'active' | typeof status) => {
        await database.db
          .updateTable('users')
          .set({ status: to })
          .where('id', '=', userId)
          .execute();
        await events.publish(BUCKET_EVENTS, { userId });
      };
      await setStatus(status);
      await expect(use()).rejects.toMatchObject({ code: 'AccessDenied' });
      await setStatus('active');
      expect(await use()).toBeUndefined();
    },
  );

  test('goes with the row of its account', async () => {
    const { s3Keys, userId, database } = await open();
    const { access_key_id } = await s3Keys.create(userId, { access: 'both' });
    await database.db.deleteFrom('users').where('id', '=', userId).execute();
    expect(await s3Keys.find(access_key_id)).toBeUndefined();
  });

  test('is one of as many as an account may have, of many at once', async () => {
    const { s3Keys, userId } = await open();
    const attempts = Array.from({ length: MAX_S3_KEYS + 3 }, () =>
      s3Keys.create(userId, { access: 'both' }),
    );
    const results = await Promise.allSettled(attempts);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => reason.status)).toEqual([409, 409, 409]);
    expect((await s3Keys.list(userId)).data).toHaveLength(MAX_S3_KEYS);
  });

  test('is noted as used at most once a minute, and not by who has no right to', async () => {
    const { s3Keys, userId, pass, clock } = await open();
    const { access_key_id } = await s3Keys.create(userId, { access: 'both' });
    const lastUsed = async () => {
      await s3Keys.writeUses();
      return (await s3Keys.list(userId)).data[0]?.last_used ?? null;
    };
    const found = await s3Keys.find(access_key_id);
    expect(await lastUsed()).toBeNull();
    found?.use(clock());
    const first = await lastUsed();
    expect(first).toBe(new Date(NOW).toISOString());
    pass(MINUTE - 1);
    (await s3Keys.find(access_key_id))?.use(clock());
    expect(await lastUsed()).toBe(first);
    pass(1);
    (await s3Keys.find(access_key_id))?.use(clock());
    expect(await lastUsed()).toBe(new Date(NOW + MINUTE).toISOString());
  });

  test('is in the audit log when it is created and deleted, without its secret', async () => {
    const { s3Keys, userId, database } = await open();
    const { id, secret_access_key } = await s3Keys.create(userId, { name: 'CI', access: 'both' });
    await s3Keys.delete(userId, id);
    const rows = await database.db
      .selectFrom('audit_log')
      .select(['action', 'message', 'actor_id', 'details'])
      .where('subject_id', '=', userId)
      .where('action', 'like', 's3-key.%')
      .orderBy('id')
      .execute();
    expect(rows.map(({ message, actor_id, details }) => [message, actor_id, details])).toEqual([
      ['S3 access key “CI” created.', userId, JSON.stringify({ key: id })],
      ['S3 access key “CI” deleted.', userId, JSON.stringify({ key: id })],
    ]);
    expect(JSON.stringify(rows)).not.toContain(secret_access_key);
  });
});
