import type { Database } from '../../../platform/db/port.ts';
import type { BucketSettings, BucketSubject, SettingColumns } from '../settings.ts';
import * as store from '../store.ts';
import type { BucketDocumentRow } from '../tables.ts';
import { formatS3Access, parseS3Access, type S3Access } from './access.ts';
import * as documents from './documents-store.ts';

type Deps = { database: Database; settings: Pick<BucketSettings, 'changeLocked'> };

/** What S3 clients set for a bucket that the dashboard has no setting for. */
export class BucketS3 {
  constructor(private readonly deps: Deps) {}

  /**
   * Returns the bucket that somebody without a key of its account means by a name, whoever owns it; undefined where there
   * is none.
   */
  byPublicName(name: string): Promise<store.BucketWithStatus | undefined> {
    return store.bucketByPublicS3Name(this.deps.database.db, name);
  }

  /**
   * Changes who may read a bucket; when it resolves, no process delivers by what was before for longer than its caches
   * last. Throws not-found, conflict, and what `change` throws.
   */
  async changeAccess(subject: BucketSubject, change: (before: S3Access) => S3Access) {
    await this.deps.settings.changeLocked(subject, 's3-changed', (row) =>
      formatS3Access(change(parseS3Access(row))),
    );
  }

  /** Returns a document of a bucket, as it was set; undefined where it has none. */
  findDocument(bucketId: string, kind: BucketDocumentRow['kind']): Promise<string | undefined> {
    return documents.findDocument(this.deps.database.db, bucketId, kind);
  }

  /**
   * Sets a document of a bucket, or deletes it with null, and what of its settings changes with it, in one transaction.
   * Throws not-found, conflict.
   */
  async setDocument(
    subject: BucketSubject,
    { kind, content }: { kind: 'cors' | 'lifecycle'; content: string | null },
    columns: SettingColumns = {},
  ): Promise<void> {
    const bucket_id = subject.id;
    const action = kind === 'lifecycle' ? 'retention-changed' : 'delivery-rules-changed';
    await this.deps.settings.changeLocked(subject, action, async (_row, tx) => {
      if (content === null) await documents.deleteDocument(tx, bucket_id, kind);
      else await documents.setDocument(tx, { bucket_id, kind, content });
      return columns;
    });
  }

  /** Sets the policy of a bucket, or deletes it with null. Throws not-found, conflict. */
  async setPolicy(subject: BucketSubject, content: string | null): Promise<void> {
    const bucket_id = subject.id;
    await this.deps.settings.changeLocked(subject, 's3-changed', async (row, tx) => {
      if (content === null) await documents.deleteDocument(tx, bucket_id, 'policy');
      else await documents.setDocument(tx, { bucket_id, kind: 'policy', content });
      return formatS3Access({ ...parseS3Access(row), hasPolicy: content !== null });
    });
  }
}
