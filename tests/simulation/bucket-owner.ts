import { grantCredit } from '../../server/features/billing/service.ts';
import { newId } from '../../server/platform/ids.ts';
import type { KnownBucket } from './clients.ts';
import type { Oracle } from './oracle.ts';
import type { Processes } from './processes.ts';
import type { S3Credentials } from './s3-request.ts';
import type { Shared } from './shared.ts';

/** Enough that no bucket is suspended. */
const CREDIT = 1e12;
export const MAX_BUCKETS = 3;

/** The account that has all buckets, which it creates and deletes. */
export class BucketOwner {
  /** An access key for the S3 API, once it is created. */
  s3Key: S3Credentials = { id: '', secret: '' };
  private userId = '';

  constructor(
    private readonly shared: Shared,
    private readonly processes: Processes,
    private readonly oracle: Oracle,
    private readonly buckets: KnownBucket[],
  ) {}

  async signUp(): Promise<void> {
    const { world, database } = this.shared;
    const user = { email: 'ada@example.com', email_key: 'ada@example.com', password_hash: '' };
    this.userId = newId(world.now);
    await database.direct.db
      .insertInto('users')
      .values({ ...user, id: this.userId, status: 'active', created_at: world.now } as never)
      .execute();
    await database.direct.transaction((tx) =>
      grantCredit(
        tx,
        { userId: this.userId, amount: CREDIT, id: 'one', actor: 'system' },
        world.now,
      ),
    );
  }

  async createS3Key(): Promise<void> {
    const process = this.processes.any();
    const key = await process.attempt('create S3 key', () =>
      process.services.s3Keys.create(this.userId, { access: 'both' }),
    );
    if (key) this.s3Key = { id: key.access_key_id, secret: key.secret_access_key };
  }

  async createBucket(): Promise<void> {
    const process = this.processes.any();
    const { buckets } = process.services;
    const made = await process.attempt('create bucket', () =>
      buckets.create(this.userId, { name: 'Pictures' }),
    );
    const detail =
      made && (await process.attempt('read key', () => buckets.getWithKey(this.userId, made.id)));
    if (detail) this.buckets.push({ id: detail.id, key: detail.api_key, isDeleting: false });
  }

  /** Deletes a bucket, and creates another one. */
  async deleteBucket(): Promise<void> {
    const bucket = this.shared.world.pick(this.open);
    if (!bucket) return;
    bucket.isDeleting = true;
    for (const file of this.oracle.files.values())
      if (file.bucketId === bucket.id && file.state === 'live') file.state = 'deleting';
    while (!(await this.startDeletion(bucket.id)));
    while (this.open.length < MAX_BUCKETS) await this.createBucket().catch(() => {});
  }

  private get open(): KnownBucket[] {
    return this.buckets.filter(({ isDeleting }) => !isDeleting);
  }

  private async startDeletion(id: string): Promise<boolean | null> {
    const process = this.processes.any();
    const { buckets, database } = process.services;
    return process
      .attempt('delete bucket', async () => {
        await database.transaction((tx) => buckets.deletion.start(tx, id, { userId: this.userId }));
        await buckets.deletion.announce({ bucketId: id });
        return true;
      })
      .catch((error) => error?.status === 409);
  }
}
