import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/port.ts';
import { monthAddition } from '../../usage/service.ts';
import type { ChargeDayRow } from '../tables.ts';

/**
 * Adds charges to what their buckets cost in the UTC month that starts at `month`, by which lists of buckets are ordered.
 * Rows are written in the order of their keys, as by all who write them. Deleted buckets are left out.
 */
export async function addBucketSpend(tx: Tx, rows: ChargeDayRow[], month: number): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(
    ({ bucket_id, storage, bandwidth, upload }) =>
      sql`(${bucket_id}, ${storage + bandwidth + upload})`,
  );
  await sql`insert into bucket_stats (bucket_id, month, bandwidth, spend_month, spend)
    select column1, 0, 0, cast(${month} as bigint), cast(column2 as bigint)
    from (values ${sql.join(values)}) as added
    where exists (select 1 from buckets where id = column1) order by column1
    on conflict (bucket_id) do update set ${monthAddition('bucket_stats', 'spend_month', 'spend')}`.execute(
    tx,
  );
}
