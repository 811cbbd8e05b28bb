import type { SQL } from 'bun';
import { HOUR, MIB } from '../../server/contract/limits.ts';

const GIB = 1024 * MIB;

/** As if a bucket had sent a GiB in each of the last hours, not yet charged. Answers the charges to come. */
export async function owe(sql: SQL, bucketId: string, count: number): Promise<string[]> {
  const now = Math.floor(Date.now() / HOUR) * HOUR;
  const hours = Array.from({ length: count }, (_, back) => now - (back + 2) * HOUR);
  const rows = hours.map((hour) => ({
    bucket_id: bucketId,
    hour,
    bandwidth: GIB,
    uploaded: 0,
    stored_gib_ms: 0,
    stored_byte_ms: 0,
  }));
  await sql.begin(async (tx) => {
    await tx`insert into usage_hours ${tx(rows)}`;
    await tx`update charging set charged_until = ${Math.min(...hours)}, lease_until = 0`;
  });
  return hours.map((hour) => `charge:${bucketId}:${hour}`);
}
