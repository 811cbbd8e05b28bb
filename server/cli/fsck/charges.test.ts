import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import type { CopySources } from '../../adapters/operator.ts';
import { DAY, GIB, MINUTE } from '../../contract/limits.ts';
import { openCharged } from '../../features/billing/testing/charged-fixture.ts';
import { checkCharges } from './charges.ts';

await describeEachEngine('the audit of the charges', (open) => {
  /** Charges two buckets for the last days of January and the first one of February. */
  const begin = async () => {
    const h = await openCharged(await open());
    const { database, clock } = h;
    const [id, other] = [await h.makeBucket(), await h.makeBucket()];
    const file = await h.upload(id, 144 * GIB);
    await h.upload(other, 24 * GIB);
    await h.send(id, GIB);
    h.move(3 * DAY);
    await h.charges.round();
    const listFindings = async (at = clock) =>
      (await Array.fromAsync(checkCharges({ database } as CopySources, at))).map(
        ({ kind, subject, text }) => `${kind} ${subject}: ${text}`,
      );
    return { ...h, db: database.db, id, other, file, listFindings };
  };

  test('finds nothing in what is charged, used since then, or deleted', async () => {
    const h = await begin();
    expect(await h.listFindings()).toEqual([]);
    await h.grow(h.id, h.file, -GIB);
    const added = await h.upload(h.other, 7);
    expect(await h.listFindings()).toEqual([]);
    await h.remove(h.other, added, 7);
    const { db } = h;
    await h.database.transaction(async (tx) => {
      await h.usage.meters.fold(tx, h.id);
      await h.usage.meters.closed(tx, { id: h.id, user_id: h.userId }, 143 * GIB);
      await tx.deleteFrom('buckets').where('id', '=', h.id).execute();
    });
    expect(await h.listFindings()).toEqual([]);
    h.move(DAY);
    await h.charges.round();
    expect(await h.listFindings()).toEqual([]);
    await db
      .updateTable('billed_buckets')
      .set({ stored: 5 })
      .where('bucket_id', '=', h.id)
      .execute();
    expect(await h.listFindings()).toEqual([
      `ledger ${h.id}: the bucket is charged for 5 bytes, its total is 0`,
    ]);
  });

  test('finds a bucket that is charged for other bytes than it stores', async () => {
    const { db, id, listFindings } = await begin();
    await db
      .updateTable('billed_buckets')
      .set({ stored: GIB })
      .where('bucket_id', '=', id)
      .execute();
    expect(await listFindings()).toEqual([
      `ledger ${id}: the bucket is charged for ${GIB} bytes, its total is ${144 * GIB}`,
    ]);
  });

  test('finds a month that differs from its days and from the ledger', async () => {
    const { db, id, userId, listFindings } = await begin();
    const months = db.updateTable('charge_months').where('bucket_id', '=', id);
    const january = months.where('month', '=', Date.parse('2026-01-01'));
    await january.set(({ eb }) => ({ storage: eb('storage', '+', 1_000_000) })).execute();
    expect(await listFindings()).toEqual([
      `ledger ${userId}: the charges of 2026-01 add up to 2.0235 USD, the ledger has 1.0235 USD`,
      `ledger ${id}: the bucket's charges of 2026-01 differ from those of its days`,
    ]);
  });

  test('finds charges of a month that are with another bucket or another kind', async () => {
    const { db, id, listFindings } = await begin();
    const january = db.updateTable('charge_months').where('month', '=', Date.parse('2026-01-01'));
    const differs = (bucket: string) =>
      `ledger ${bucket}: the bucket's charges of 2026-01 differ from those of its days`;
    await january
      .where('bucket_id', '=', id)
      .set(({ eb }) => ({ storage: eb('storage', '-', 7), upload: eb('upload', '+', 7) }))
      .execute();
    expect(await listFindings()).toEqual([differs(id)]);
    await january.where('bucket_id', '=', id).set({ bucket_id: 'lost' }).execute();
    expect((await listFindings()).toSorted()).toEqual([differs('lost'), differs(id)].toSorted());
  });

  test('compares no month with days that are no longer kept', async () => {
    const { db, clock, listFindings } = await begin();
    await db.deleteFrom('charge_days').execute();
    expect(await listFindings()).not.toEqual([]);
    expect(await listFindings(() => clock() + 900 * DAY)).toEqual([]);
  });

  test('finds nothing in a day of which only some buckets are charged yet', async () => {
    const { db, userId, id, move, charges, listFindings } = await begin();
    move(DAY + MINUTE);
    const day = Date.parse('2026-02-02');
    const part = { user_id: userId, bucket_id: id, storage: 3, bandwidth: 0, upload: 0 };
    await db
      .insertInto('charge_days')
      .values({ ...part, day })
      .execute();
    await db
      .updateTable('charge_months')
      .set(({ eb }) => ({ storage: eb('storage', '+', 3) }))
      .where('bucket_id', '=', id)
      .where('month', '=', Date.parse('2026-02-01'))
      .execute();
    expect(await listFindings()).toEqual([]);
    await charges.round();
    expect(await listFindings()).toEqual([]);
  });
});
