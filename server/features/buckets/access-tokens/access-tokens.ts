import { MAX_ACCESS_TOKENS } from '../../../contract/limits.ts';
import type { AccessTokenWire } from '../../../contract/wire.ts';
import { conflict, notFound } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { KeyUses } from '../../../platform/key-uses.ts';
import { actorOf, type Uploader } from '../../access/principal.ts';
import { recordBucketAudit } from '../audit.ts';
import type { BucketDeps } from '../bucket-deps.ts';
import { lockBucket } from '../lock-store.ts';
import * as bucketStore from '../store.ts';
import { validateName } from '../validation.ts';
import * as store from './access-tokens-store.ts';
import type { AccessTokenRow } from './tables.ts';

type AccessTokenDeps = Pick<BucketDeps, 'database' | 'clock'> & {
  publishChange: (bucketId: string) => Promise<void>;
};

/** Who creates a token, and with which version of the bucket's key it is signed. */
type Minter = { bucket: { id: string; key_version: number }; principal: Uploader };

/** What a token with a name opens, and until when (epoch milliseconds); null for all, and for ever. */
type NewToken = Pick<AccessTokenRow, 'id' | 'name' | 'scope' | 'file_id' | 'prefix' | 'expires_at'>;

/** The access tokens of buckets that have a name: they are listed, and revoked one by one. */
export class AccessTokens {
  private readonly uses = new KeyUses();

  constructor(private readonly deps: AccessTokenDeps) {}

  /** Lists the tokens of a user's bucket that have not expired, newest first. Throws not-found. */
  async list(userId: string, bucketId: string): Promise<{ data: AccessTokenWire[] }> {
    const { database, clock } = this.deps;
    await bucketStore.requireOwnedBucket(database.db, userId, bucketId);
    const rows = await store.listAccessTokens(database.db, bucketId, clock());
    return { data: rows.map(toAccessTokenWire) };
  }

  /**
   * Lists a new token, which is of no use before. Throws invalid, and conflict for a bucket that has as many tokens as it
   * may have, or whose key was regenerated or deleted meanwhile.
   */
  async create({ bucket, principal }: Minter, token: NewToken): Promise<void> {
    const { database, clock } = this.deps;
    const name = validateName(token.name);
    const now = clock();
    const keyId = principal.kind === 'api-key' ? principal.keyId : null;
    await database.transaction(async (tx) => {
      await lockBucket(tx, bucket.id);
      const current = await bucketStore.bucketById(tx, bucket.id);
      if (!current) throw notFound('Bucket');
      const isKeyCurrent =
        current.key_version === bucket.key_version &&
        (keyId === null || current.key_ids?.includes(keyId));
      if (!isKeyCurrent) throw conflict('The API key was replaced. Try again with the new one.');
      await this.requireRoom(tx, bucket.id, now);
      await store.insertAccessToken(tx, {
        ...{ ...token, name, bucket_id: bucket.id, key_id: keyId },
        ...{ last_used_at: null, created_at: now },
      });
      await store.writeTokenIds(tx, bucket.id);
      const details = { token: token.id, token_name: name };
      await recordBucketAudit(tx, now, current, 'token-created', actorOf(principal), details);
    });
    await this.deps.publishChange(bucket.id);
  }

  /** Revokes a token, which opens nothing when this resolves. Throws not-found. */
  async revoke(userId: string, bucketId: string, id: string): Promise<void> {
    const { database, clock } = this.deps;
    await bucketStore.requireOwnedBucket(database.db, userId, bucketId);
    await database.transaction(async (tx) => {
      await lockBucket(tx, bucketId);
      const bucket = await bucketStore.requireChangeableBucket(tx, userId, bucketId);
      const deleted = await store.deleteAccessToken(tx, bucketId, id);
      if (!deleted) throw notFound('Access token');
      await store.writeTokenIds(tx, bucketId);
      const details = { token: id, token_name: deleted.name };
      await recordBucketAudit(tx, clock(), bucket, 'token-revoked', { userId }, details);
    });
    await this.deps.publishChange(bucketId);
  }

  /** Notes that a token was used, which `writeUses` stores. */
  noteUse(id: string): void {
    this.uses.note({ id, last_used_at: null }, this.deps.clock());
  }

  /** Writes which tokens were used since the last time. */
  async writeUses(): Promise<void> {
    const { database, clock } = this.deps;
    await this.uses.write(clock(), (ids, now, after) =>
      store.markTokensUsed(database.db, ids, now, after),
    );
  }

  /** Throws conflict where a bucket that is locked has no room for another token, besides those that have expired. */
  private async requireRoom(tx: Tx, bucketId: string, now: number): Promise<void> {
    await store.deleteExpiredTokens(tx, bucketId, now);
    if ((await store.countAccessTokens(tx, bucketId)) < MAX_ACCESS_TOKENS) return;
    throw conflict(
      `A bucket can have ${MAX_ACCESS_TOKENS} access tokens with a name. Revoke one that isn't used.`,
    );
  }
}

const toText = (at: number | null) => (at === null ? null : new Date(at).toISOString());

const toAccessTokenWire = (row: AccessTokenRow & { key_name: string | null }): AccessTokenWire => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  file_id: row.file_id,
  prefix: row.prefix,
  api_key: row.key_name,
  expires: toText(row.expires_at),
  last_used: toText(row.last_used_at),
  date: new Date(row.created_at).toISOString(),
});
