import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY } from '../../contract/limits.ts';
import {
  claimWebhookAttempt,
  findDueBuckets,
  findDueOwners,
  markDueWebhookAttempts,
  releaseAllWebhookAttempts,
} from './due-store.ts';

const NOW = Date.parse('2025-06-20T12:00:00Z');

await describeEachEngine('deliveries that are due', (openDatabase) => {
  test('are found by account and bucket, however many one of them has', async () => {
    const database = await openDatabase();
    const { db, engine } = database;
    const numbers = sql`with recursive numbers(n) as
      (select 1 union all select n + 1 from numbers where n < 20000)`;
    const id = engine === 'sqlite' ? sql`printf('d%05d', n)` : sql`'d' || lpad(n::text, 5, '0')`;
    // The delivery of account 2 is due later, and those of account 1 are nearly all.
    await sql`
      insert into webhook_deliveries (id, bucket_id, owner, type, body, target_sealed, state, step,
        due_at, ready, created_at)
      ${numbers} select ${id}, 'b' || (n % 3), case when n > 3 then 'o1' else 'o' || n end, 'file.success',
        '{}', '', 'waiting', 0, case when n = 2 then ${sql.lit(NOW + 1)} else n end,
        case when n = 2 then 0 else 1 end, 0
      from numbers`.execute(db);
    const first = { after: null, limit: 10 };
    expect(await findDueOwners(db, first)).toEqual(['o1', 'o3']);
    expect(await findDueOwners(db, { ...first, limit: 1 })).toEqual(['o1']);
    expect(await findDueOwners(db, { ...first, after: 'o1' })).toEqual(['o3']);
    expect(await findDueBuckets(db, { ...first, owner: 'o1' })).toEqual(['b0', 'b1', 'b2']);
    expect(await findDueBuckets(db, { owner: 'o1', after: 'b0', limit: 1 })).toEqual(['b1']);
    expect(await findDueBuckets(db, { ...first, owner: 'o2' })).toEqual([]);
    const claim = { owner: 'o3', bucketId: 'b0', token: 't', now: NOW, until: NOW + DAY };
    expect(await claimWebhookAttempt(database, claim)).toMatchObject({ id: 'd00003', attempts: 1 });
    expect(await claimWebhookAttempt(database, claim)).toBeNull();
    expect(await findDueOwners(db, first)).toEqual(['o1']);

    await markDueWebhookAttempts(database, NOW);
    expect(await findDueOwners(db, first)).toEqual(['o1']);
    await markDueWebhookAttempts(database, NOW + 1);
    expect(await findDueOwners(db, first)).toEqual(['o1', 'o2']);
    await releaseAllWebhookAttempts(db, { now: NOW + 1, until: NOW + DAY });
    await markDueWebhookAttempts(database, NOW + 1);
    expect(await findDueOwners(db, first)).toEqual(['o1', 'o2', 'o3']);
  });
});
