import { MAX_S3_KEYS } from '../../../contract/limits.ts';
import type { CreatedS3KeyWire, S3KeyWire } from '../../../contract/wire.ts';
import { conflict, invalid, notFound } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { Events } from '../../../platform/events/port.ts';
import { KeptRows } from '../../../platform/kept-rows.ts';
import { KeyUses } from '../../../platform/key-uses.ts';
import type { Keys } from '../../../platform/secrets/secrets.ts';
import { parseExpiry } from '../../../web/http/parse-expiry.ts';
import type { S3KeyAccess } from '../../access/principal.ts';
import { BUCKET_EVENTS, type BucketEvent, type Buckets } from '../../buckets/service.ts';
import type { FoundKey } from '../auth/authenticate.ts';
import { recordS3KeyAudit } from './audit.ts';
import { findS3Key } from './find-key.ts';
import { newS3Key, parseBucketIds, toS3KeyWire } from './s3-key.ts';
import * as store from './s3-keys-store.ts';
import type { S3KeyRow } from './tables.ts';

/** What a new key may do, as the API takes it. */
type KeyForm = {
  name?: string;
  access: S3KeyAccess;
  buckets?: string[] | null;
  /** In ISO 8601. */
  expires_at?: string | null;
};

type S3KeyDeps = {
  database: Database;
  events: Events;
  keys: Keys;
  clock: Clock;
  buckets: Pick<Buckets, 'byId' | 'namesOf'>;
  /** Whether this server has the S3 API. */
  isOn: boolean;
};

/** The topic on which it is published that a key was deleted. */
const S3_KEY_EVENTS = 's3-keys';
type S3KeyEvent = { id: string };

const MAX_KNOWN_KEYS = 1000;

/** The access keys of accounts for the S3 API. Those that are used are kept until they or their account change. */
export class S3Keys {
  private readonly uses = new KeyUses();
  private readonly known = new KeptRows<FoundKey>(MAX_KNOWN_KEYS);

  constructor(private readonly deps: S3KeyDeps) {
    const { events } = deps;
    events.subscribe(S3_KEY_EVENTS, (payload) => {
      const { id } = payload as S3KeyEvent;
      this.known.drop(({ secret }) => secret.id === id);
    });
    events.subscribe(BUCKET_EVENTS, (payload) => {
      const event = payload as BucketEvent;
      // The status of an account is told as that of its buckets.
      if ('userId' in event) this.known.drop(({ principal }) => principal.userId === event.userId);
    });
    events.onGap(() => this.known.clear());
  }

  /** Returns the key with an access key ID, for its signature to be verified; undefined where there is none. */
  find(accessKeyId: string): Promise<FoundKey | undefined> {
    return this.known.find(accessKeyId, () =>
      findS3Key(this.deps, accessKeyId, (row, now) => this.uses.note(row, now)),
    );
  }

  /** Lists the keys of an account, the oldest first. */
  async list(userId: string): Promise<{ data: S3KeyWire[] }> {
    const rows = await store.listS3Keys(this.deps.database.db, userId);
    return { data: await this.toWires(rows) };
  }

  /**
   * Creates a key. Throws invalid, not-found for a bucket of another account, and conflict for an account that has as
   * many keys as it may have, or where the S3 API is off.
   */
  async create(userId: string, form: KeyForm): Promise<CreatedS3KeyWire> {
    const { database, keys, clock, isOn } = this.deps;
    if (!isOn) {
      throw conflict('The S3 API is off. The operator of this server can turn it on with S3_PORT.');
    }
    const now = clock();
    const { row, secret } = newS3Key(keys, now, userId, {
      name: validateName(form.name ?? 'S3 key'),
      access: form.access,
      bucketIds: await this.ownedBuckets(userId, form.buckets ?? null),
      expiresAt: typeof form.expires_at === 'string' ? parseExpiry(form.expires_at, now) : null,
    });
    await database.transaction(async (tx) => {
      if ((await store.countS3Keys(tx, userId)) >= MAX_S3_KEYS) {
        throw conflict(`An account can have ${MAX_S3_KEYS} S3 keys. Delete one that isn't used.`);
      }
      await store.insertS3Key(tx, row);
      await recordS3KeyAudit(tx, now, 'created', row);
    });
    const [wire] = await this.toWires([row]);
    return { ...(wire as S3KeyWire), secret_access_key: secret };
  }

  /**
   * Deletes a key of an account, which opens nothing in this process when this resolves, and soon in none. Throws
   * not-found.
   */
  async delete(userId: string, id: string): Promise<void> {
    const { database, clock, events } = this.deps;
    await database.transaction(async (tx) => {
      const deleted = await store.deleteS3Key(tx, userId, id);
      if (!deleted) throw notFound('S3 key');
      await recordS3KeyAudit(tx, clock(), 'deleted', { id, user_id: userId, ...deleted });
      await events.publishIn(tx, S3_KEY_EVENTS, { id } satisfies S3KeyEvent);
    });
  }

  /** Writes which keys were used since the last time. */
  async writeUses(): Promise<void> {
    const { database, clock } = this.deps;
    await this.uses.write(clock(), (ids, now, after) =>
      store.markS3KeysUsed(database.db, ids, now, after),
    );
  }

  private async toWires(rows: S3KeyRow[]): Promise<S3KeyWire[]> {
    const ids = new Set(rows.flatMap((row) => parseBucketIds(row) ?? []));
    const names = await this.deps.buckets.namesOf([...ids]);
    return rows.map((row) => toS3KeyWire(row, names));
  }

  private async ownedBuckets(userId: string, ids: string[] | null): Promise<string[] | null> {
    if (ids === null) return null;
    const unique = [...new Set(ids)];
    for (const id of unique) {
      const bucket = await this.deps.buckets.byId(id);
      if (bucket?.user_id !== userId) throw notFound('Bucket');
    }
    return unique;
  }
}

function validateName(text: string): string {
  const name = text.trim();
  if (name && !/\p{Cc}/u.test(name)) return name;
  throw invalid('The name must not be empty, and must be on one line.');
}
