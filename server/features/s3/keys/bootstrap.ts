import { AppError, conflict } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { Locks } from '../../../platform/locks/port.ts';
import type { Log } from '../../../platform/log.ts';
import type { Keys } from '../../../platform/secrets/secrets.ts';
import {
  completeSetupStep,
  isSetupStepComplete,
} from '../../../platform/setup/setup-steps-store.ts';
import type { Buckets } from '../../buckets/service.ts';
import { recordS3KeyAudit } from './audit.ts';
import { newS3Key } from './s3-key.ts';
import { insertS3Key, s3KeyByAccessKeyId } from './s3-keys-store.ts';

const STEP = 's3-bootstrap';

/** What a one-click installer creates with the server. */
export type Bootstrap = { bucketName: string; accessKeyId: string; secretAccessKey: string };

type Deps = {
  database: Database;
  clock: Clock;
  keys: Keys;
  locks: Locks;
  log: Log;
  buckets: Pick<Buckets, 'byS3Name' | 'create'>;
  /** Returns the account that owns what is created; null where there is none that may. */
  ensureAccount: () => Promise<string | null>;
};

/**
 * Creates the bucket and the access key of an installation at its first start. Once that is done, it never happens
 * again, also where both were deleted. A crash on the way leaves what the next start goes on with, and a refusal, such as
 * of an account without credit, is tried again.
 */
export async function bootstrapS3(deps: Deps, bootstrap: Bootstrap): Promise<void> {
  const { database, locks } = deps;
  if (await isSetupStepComplete(database.db, STEP)) return;
  // Another process that starts at the same time does it.
  const lock = await locks.tryTake(STEP);
  if (!lock) return;
  try {
    await createBoth(deps, bootstrap);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    deps.log.error({ error: error.text }, 'S3_BOOTSTRAP was not done');
  } finally {
    await lock.release();
  }
}

async function createBoth(deps: Deps, bootstrap: Bootstrap): Promise<void> {
  const { database, clock, keys, log, buckets, ensureAccount } = deps;
  const { bucketName, accessKeyId, secretAccessKey } = bootstrap;
  const userId = await ensureAccount();
  if (userId === null) {
    log.error(
      {},
      'S3_BOOTSTRAP was not done: the account of ADMIN_EMAIL is banned or being deleted',
    );
    return;
  }
  if (!(await buckets.byS3Name(userId, bucketName))) {
    await buckets.create(userId, { name: bucketName, s3Name: bucketName });
  }
  const now = clock();
  const form = { name: 'S3_BOOTSTRAP', access: 'both', bucketIds: null, expiresAt: null } as const;
  const { row } = newS3Key(keys, now, userId, form, { accessKeyId, secretAccessKey });
  const isFirst = await database.transaction(async (tx) => {
    if (!(await completeSetupStep(tx, STEP, now))) return false;
    if (await s3KeyByAccessKeyId(tx, accessKeyId)) {
      throw conflict(`An access key with the ID ${accessKeyId} exists already. Choose another ID.`);
    }
    await insertS3Key(tx, row);
    await recordS3KeyAudit(tx, now, 'created', row);
    return true;
  });
  if (isFirst) {
    log.info({ bucket: bucketName, key: accessKeyId }, 'S3_BOOTSTRAP created a bucket and a key');
  }
}
