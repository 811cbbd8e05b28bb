import { sql } from 'kysely';
import type { Statement } from '../../../platform/db/batch.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import { bucketBytes } from '../counters-store.ts';
import { isHeldAlone } from '../lock-store.ts';

/**
 * Returns the statement that lets an upload into a bucket, which `uploadLock` holds. Its guard fails where the bucket is
 * banned, being deleted, or does not exist, where the file is larger than it accepts or has room for, and where it has a
 * webhook unless it may.
 */
export const uploadGuard = (
  db: Executor,
  { id, bytes, mayHaveWebhook }: GuardedUpload & { mayHaveWebhook: boolean },
  otherwise: () => unknown,
): Statement => ({
  query: (mayHaveWebhook ? findAccepting : findAcceptingWithoutWebhook).query(db, { id, bytes }),
  expect: 1,
  otherwise,
});

type GuardedUpload = { id: string; bytes: number };

const findAccepting = prepareStatement((db, upload: GuardedUpload) => accepting(db, upload));

const findAcceptingWithoutWebhook = prepareStatement((db, upload: GuardedUpload) =>
  accepting(db, upload).where(({ or, eb }) =>
    or([eb('webhook', '=', ''), eb('webhook_disabled_at', 'is not', null)]),
  ),
);

const accepting = (tx: Executor, { id, bytes }: GuardedUpload) =>
  tx
    .selectFrom('buckets')
    .select('id')
    .where('id', '=', id)
    .where('status', '!=', 'deleting')
    .where('banned_at', 'is', null)
    .where(({ eb, or }) =>
      or([eb('max_file_bytes', 'is', null), eb('max_file_bytes', '>=', bytes)]),
    )
    .where(({ eb, or, and, ref }) =>
      or([
        eb('storage_limit', 'is', null),
        and([
          isHeldAlone(tx),
          eb(sql<number>`${bucketBytes} + cast(${bytes} as bigint)`, '<=', ref('storage_limit')),
        ]),
      ]),
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('users')
          .select('users.id')
          .whereRef('users.id', '=', 'buckets.user_id')
          .where('users.status', '=', 'active'),
      ),
    );
