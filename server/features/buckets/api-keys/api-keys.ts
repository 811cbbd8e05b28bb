import { MAX_API_KEYS, SECOND } from '../../../contract/limits.ts';
import type { ApiKeyWire, CreatedApiKeyWire, KeyScope } from '../../../contract/wire.ts';
import { conflict, invalid, notFound, unauthorized } from '../../../errors.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { KeyUses } from '../../../platform/key-uses.ts';
import { writeTokenIds } from '../access-tokens/access-tokens-store.ts';
import { recordBucketAudit } from '../audit.ts';
import type { BucketDeps } from '../bucket-deps.ts';
import { lockBucket } from '../lock-store.ts';
import * as bucketStore from '../store.ts';
import { validateName } from '../validation.ts';
import { apiKeyHashes, looksLikeApiKey, newNamedKey, toApiKeyWire } from './api-key.ts';
import * as store from './api-keys-store.ts';

type ApiKeyDeps = Pick<BucketDeps, 'database' | 'keys' | 'clock'> & {
  publishChange: (bucketId: string) => Promise<void>;
};

/** The API keys of buckets: who uses them, and those that a bucket has beside its primary one. */
export class ApiKeys {
  private readonly uses = new KeyUses();

  constructor(private readonly deps: ApiKeyDeps) {}

  /**
   * Returns the bucket of an API key, and the key, which counts as used; undefined where no bucket has it. Throws
   * unauthorized for a key that has expired.
   */
  async find(apiKey: string): Promise<bucketStore.BucketOfKey | undefined> {
    const found = await this.read(apiKey);
    if (!found) return undefined;
    const { expires_at } = found.key;
    const now = this.deps.clock();
    if (expires_at !== null && expires_at <= now) throw unauthorized('The API key has expired.');
    this.uses.note(found.key, now);
    return found;
  }

  /** Whether a bucket still has an API key, which may have expired since. */
  async exists(apiKey: string): Promise<boolean> {
    return (await this.read(apiKey)) !== undefined;
  }

  /** Lists the keys of a user's bucket, the primary one first. Throws not-found. */
  async list(userId: string, bucketId: string): Promise<{ data: ApiKeyWire[] }> {
    const { db } = this.deps.database;
    await bucketStore.requireOwnedBucket(db, userId, bucketId);
    return { data: (await store.listApiKeys(db, bucketId)).map(toApiKeyWire) };
  }

  /**
   * Creates a key. `expires` is in epoch seconds, 0 for never. Throws not-found, invalid, and conflict for a bucket
   * that has as many keys as it may have.
   */
  async create(
    userId: string,
    bucketId: string,
    form: { name: string; scope: KeyScope; expires?: number },
  ): Promise<CreatedApiKeyWire> {
    const { database, clock } = this.deps;
    const name = validateName(form.name);
    const expiresAt = (form.expires ?? 0) * SECOND || null;
    if (expiresAt !== null && expiresAt <= clock()) {
      throw invalid('The expiry must be in the future, in epoch seconds, or 0 for none.');
    }
    await this.requireChangeable(database.db, userId, bucketId);
    const { row, apiKey } = newNamedKey(clock(), bucketId, { ...form, name, expiresAt });
    await database.transaction(async (tx) => {
      const bucket = await this.lock(tx, userId, bucketId);
      // The primary key is one of them.
      if ((await store.countApiKeys(tx, bucketId)) > MAX_API_KEYS) {
        throw conflict(
          `A bucket can have ${MAX_API_KEYS} keys beside its primary one. Delete one that isn't used.`,
        );
      }
      await store.insertApiKey(tx, row);
      const details = { key: row.id, key_name: name };
      await recordBucketAudit(tx, clock(), bucket, 'key-created', { userId }, details);
    });
    await this.deps.publishChange(bucketId);
    return { ...toApiKeyWire(row), api_key: apiKey };
  }

  /**
   * Deletes a key that is not the primary one. It and the tokens that it has created are revoked when this
   * resolves. Throws not-found.
   */
  async delete(userId: string, bucketId: string, id: string): Promise<void> {
    const { database, clock } = this.deps;
    await this.requireChangeable(database.db, userId, bucketId);
    await database.transaction(async (tx) => {
      const bucket = await this.lock(tx, userId, bucketId);
      const deleted = await store.deleteApiKey(tx, bucketId, id);
      if (!deleted) throw notFound('API key');
      // The tokens with a name that it has created are deleted with it.
      await writeTokenIds(tx, bucketId);
      const details = { key: id, key_name: deleted.name };
      await recordBucketAudit(tx, clock(), bucket, 'key-deleted', { userId }, details);
    });
    await this.deps.publishChange(bucketId);
  }

  /** Writes which keys were used since the last time. */
  async writeUses(): Promise<void> {
    const { database, clock } = this.deps;
    await this.uses.write(clock(), (ids, now, after) =>
      store.markUsed(database.db, ids, now, after),
    );
  }

  private async read(apiKey: string): Promise<bucketStore.BucketOfKey | undefined> {
    if (!looksLikeApiKey(apiKey)) return undefined;
    const { database, keys } = this.deps;
    return bucketStore.bucketByKeyHash(database.db, apiKeyHashes(keys, apiKey));
  }

  /** Locks a bucket, so that of several keys at once only as many are created as it may have. */
  private async lock(tx: Tx, userId: string, bucketId: string) {
    await lockBucket(tx, bucketId);
    return this.requireChangeable(tx, userId, bucketId);
  }

  private requireChangeable(db: Executor, userId: string, bucketId: string) {
    return bucketStore.requireChangeableBucket(db, userId, bucketId);
  }
}
