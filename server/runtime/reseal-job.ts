import type { SystemAudit } from '../platform/audit/record.ts';
import type { Database } from '../platform/db/port.ts';
import type { Queue } from '../platform/queue/queue.ts';
import { resealAll } from '../platform/secrets/reseal.ts';
import { type Keys, mac } from '../platform/secrets/secrets.ts';

const KIND = 'reseal';

type Parts = { database: Database; queue: Queue; keys: Keys; audit: SystemAudit };

/** Registers the job that encrypts everything with the current secret. */
export function handleReseal({ database, queue, keys, audit }: Parts): void {
  queue.handle(KIND, {
    concurrency: 1,
    async run({ signal }) {
      const count = await resealAll({ database, keys }, signal);
      if (count > 0) await audit.resealed(count);
      return async () => {};
    },
  });
}

/** Adds the job during a rotation of the secret, unless it waits or runs already. */
export async function startReseal({ database, queue, keys }: Parts): Promise<void> {
  if (keys.all('api-key-seal').length === 1) return;
  // Each pair of secrets has a job of its own, without telling anything of them.
  const subject = `reseal-${mac(keys('api-key-seal'), 'reseal').slice(0, 16)}`;
  if (await queue.isOpen(subject)) return;
  await queue.add(database.db, { kind: KIND, subject, payload: {} });
  queue.wake(KIND);
}
