import type { CopySources } from '../../adapters/operator.ts';
import type { Finding } from './finding.ts';
import * as store from './totals-store.ts';

/** Yields buckets, blobs and accounts whose counts differ from what they count, and buckets without their key. */
export async function* checkTotals(sources: CopySources): AsyncGenerator<Finding> {
  yield* checkBuckets(sources);
  yield* checkKeys(sources);
  yield* checkBlobs(sources);
  yield* checkAccounts(sources);
}

/** Yields buckets whose totals differ from the sums over their files. */
async function* checkBuckets({ database }: CopySources): AsyncGenerator<Finding> {
  for (const bucket of await store.miscountedBuckets(database.db)) {
    const { id, usage, bytes, total_uploads, files } = bucket;
    if (usage !== bytes) {
      const text = `the bucket's total is ${usage} bytes, its files add up to ${bytes}`;
      yield { kind: 'total', subject: id, text };
    }
    if (total_uploads !== files) {
      const text = `the bucket's total is ${total_uploads} files, it has ${files}`;
      yield { kind: 'total', subject: id, text };
    }
  }
}

/** Yields buckets without the primary key that their owners can view. */
async function* checkKeys({ database }: CopySources): AsyncGenerator<Finding> {
  for (const { id } of await store.bucketsWithoutKey(database.db)) {
    yield { kind: 'missing', subject: id, text: 'the bucket has no primary API key' };
  }
}

/** Yields blobs that other files name than they count. */
async function* checkBlobs({ database }: CopySources): AsyncGenerator<Finding> {
  for (const { id, refs, files } of await store.miscountedBlobs(database.db)) {
    const text = `the blob counts ${refs} files, ${files} have it`;
    yield { kind: 'total', subject: id, text };
  }
}

/** Yields accounts whose totals differ from the sums over their buckets. */
async function* checkAccounts({ database }: CopySources): AsyncGenerator<Finding> {
  for (const { user_id } of await store.miscountedAccounts(database.db)) {
    const text = "the account's totals differ from the sums over its buckets";
    yield { kind: 'total', subject: user_id, text };
  }
}
