import { inlineRead } from '../../../platform/db/inline-read.ts';
import { type Executor, isOnPostgres, type Tx } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import { markUsedRows } from '../../../platform/key-uses-store.ts';
import type { AccountStatus } from '../../accounts/service.ts';
import type { S3KeyRow } from './tables.ts';

/** Inserts an access key. */
export async function insertS3Key(tx: Tx, row: S3KeyRow): Promise<void> {
  await tx.insertInto('s3_keys').values(row).execute();
}

/** An access key with the status of its account. */
export type S3KeyWithOwner = S3KeyRow & { owner_status: AccountStatus };

/** Returns the key with an access key ID; undefined where there is none. */
export async function s3KeyByAccessKeyId(
  db: Executor,
  accessKeyId: string,
): Promise<S3KeyWithOwner | undefined> {
  return (await findByAccessKeyId(db, { accessKeyId })).rows[0];
}

const findByAccessKeyId = prepareStatement((db, { accessKeyId }: { accessKeyId: string }) =>
  db
    .selectFrom('s3_keys')
    .innerJoin('users', 'users.id', 's3_keys.user_id')
    .selectAll('s3_keys')
    .select('users.status as owner_status')
    .where('s3_keys.access_key_id', '=', accessKeyId)
    .$call(inlineRead),
);

/** Lists the keys of an account in the order of their creation. */
export async function listS3Keys(db: Executor, userId: string): Promise<S3KeyRow[]> {
  return db.selectFrom('s3_keys').selectAll().where('user_id', '=', userId).orderBy('id').execute();
}

/**
 * Counts the keys of an account, and locks it until the transaction ends, so that of several keys at once only as many
 * are created as it may have. Rows that refer to the account can be inserted meanwhile.
 */
export async function countS3Keys(tx: Tx, userId: string): Promise<number> {
  const account = tx.selectFrom('users').select('id').where('id', '=', userId);
  if (isOnPostgres(tx)) await account.forNoKeyUpdate().execute();
  const { count } = await tx
    .selectFrom('s3_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes a key of an account, and returns its name; undefined where the account has none with this id. */
export async function deleteS3Key(
  tx: Tx,
  userId: string,
  id: string,
): Promise<Pick<S3KeyRow, 'name'> | undefined> {
  return tx
    .deleteFrom('s3_keys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('name')
    .executeTakeFirst();
}

/** Stores that keys were used, except for those that another process has stored since `after`. */
export const markS3KeysUsed = (
  db: Executor,
  ids: string[],
  now: number,
  after: number,
): Promise<void> => markUsedRows(db, 's3_keys', ids, { now, after });
