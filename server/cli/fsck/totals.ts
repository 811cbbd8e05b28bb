import type { CopySources, Finding } from './finding.ts';
import * as store from './store.ts';

/** Buckets that count other files or bytes than their files' rows come to. */
export async function* checkBuckets({ database }: CopySources): AsyncGenerator<Finding> {
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
