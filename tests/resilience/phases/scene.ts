import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR } from '../../../server/contract/limits.ts';
import { dayOf, hourOf, monthOf } from '../../../server/features/usage/periods.ts';
import { newId } from '../../../server/platform/ids.ts';

/** The credit of every account, in micro-USD. */
export const CREDIT = 1_000_000_000;
const OBJECT = '10 bytes, ';
export const OBJECT_BYTES = OBJECT.length;

/** An account that stays, and its bucket. */
export const [USER, BUCKET] = [newId(Date.now()), newId(Date.now())];
/** The start of the first UTC day that may not be over for the server, which waits a while after midnight. */
export const TODAY = dayOf(Date.now() - HOUR);

type Row = Record<string, string | number | null>;

/** The data of a server: its database, and its objects on the disk. */
export class Scene implements Disposable {
  readonly database: Database;
  private readonly objects: string;

  constructor(dataDir: string) {
    this.database = new Database(join(dataDir, 'wharf.db'), { strict: true });
    this.database.run('pragma busy_timeout = 5000');
    this.objects = join(dataDir, 'storage/objects');
  }

  [Symbol.dispose](): void {
    this.database.close();
  }

  /** Returns the number in the first column of the only row. */
  count(query: string): number {
    return Number(this.database.query(query).values()[0]?.[0]);
  }

  /** Returns the texts in the first column of all rows. */
  texts(query: string): Set<string> {
    return new Set(this.database.query(query).values().flat() as string[]);
  }

  /** Inserts rows, which have the same columns. */
  insert(table: string, rows: Row[]): void {
    const columns = Object.keys(rows[0] ?? {});
    const marks = columns.map((column) => `$${column}`);
    const insert = this.database.query(`insert into ${table} (${columns}) values (${marks})`);
    this.database.transaction(() => {
      for (const row of rows) insert.run(row);
    })();
  }

  /** Adds accounts, whose ledgers start with `CREDIT`. */
  addAccounts(ids: string[], status = 'active'): void {
    const now = Date.now();
    const entry = { amount: CREDIT, kind: 'grant' };
    this.insert(
      'users',
      ids.map((id) => {
        const email = `${id}@example.com`;
        return { id, email, email_key: email, password_hash: '', status, created_at: now };
      }),
    );
    this.insert(
      'ledger_entries',
      ids.map((id) => {
        const ref = `grant:${id}`;
        return { ...entry, user_id: id, seq: 1, balance: CREDIT, ref, created_at: now };
      }),
    );
    this.insert(
      'ledger_accounts',
      ids.map((id) => ({ user_id: id, seq: 1, balance: CREDIT, level: 0 })),
    );
    this.insert(
      'ledger_months',
      ids.map((id) => ({ ...entry, user_id: id, month: monthOf(now), entries: 1 })),
    );
  }

  addBucket(id: string, userId: string, status = 'running'): void {
    const name = { name: id, name_key: id };
    const now = Date.now();
    this.insert('buckets', [
      { id, user_id: userId, ...name, unused_key_mac: id, status, created_at: now },
    ]);
    const key = { name: 'Primary', scope: 'read-write', key_hash: id, key_sealed: '' };
    this.insert('api_keys', [{ id, bucket_id: id, ...key, created_at: now }]);
  }

  /** Adds files with an object each, or failed ones without, and returns their ids. */
  addFiles(bucketId: string, count: number, isStored: boolean): string[] {
    const bytes = isStored ? OBJECT_BYTES : 0;
    const rows = Array.from({ length: count }, () => {
      const id = newId(Date.now());
      return {
        ...{ id, bucket_id: bucketId, name: 'file.jpg', path: id, content_type: 'image/jpeg' },
        ...{ size: OBJECT_BYTES, file_type: 'image' },
        ...{ access: 'public', stored_bytes: bytes, created_at: Date.now() },
      };
    });
    const media = rows.map(({ id }) => ({
      ...{ file_id: id, status: isStored ? 'success' : 'error' },
      prefix: isStored ? `f/${bucketId}/${id}/a1/` : null,
      entry: isStored ? 'file.jpg' : null,
    }));
    this.insert('files', rows);
    this.insert('media', media);
    for (const { prefix, entry } of media) if (prefix && entry) this.addObject(prefix, entry);
    const change = 'update buckets set total_uploads = total_uploads + ?';
    this.database.run(`${change} where id = ?`, [count, bucketId]);
    this.addStored(bucketId, count * bytes);
    return rows.map(({ id }) => id);
  }

  /** Adds a file of another type at each of some paths, with its object. */
  addPlainFiles(bucketId: string, paths: string[], createdAt: number = Date.now()): void {
    const columns = { bucket_id: bucketId, size: OBJECT_BYTES, created_at: createdAt };
    const placed = paths.map((path) => ({ id: newId(createdAt), path }));
    this.insert(
      'blobs',
      placed.map(({ id }) => {
        const prefix = `o/${bucketId}/${id}/`;
        this.addObject(prefix, 'file');
        return { ...columns, id, prefix, object_key: `${prefix}file`, refs: 1 };
      }),
    );
    this.insert(
      'files',
      placed.map(({ id, path }) => ({
        ...{ ...columns, id, path, name: path, blob_id: id, content_type: 'text/plain' },
        ...{ file_type: 'file', access: 'public', stored_bytes: OBJECT_BYTES },
      })),
    );
    const change = 'update buckets set total_uploads = total_uploads + ? where id = ?';
    this.database.run(change, [paths.length, bucketId]);
    this.addStored(bucketId, paths.length * OBJECT_BYTES);
  }

  /** Returns the paths of the current files of a bucket, in their order. */
  pathsOf(bucketId: string): string[] {
    const query = 'select path from files where bucket_id = ? and superseded_at is null';
    return (this.database.query(query).values(bucketId).flat() as string[]).sort();
  }

  /** Adds to the bytes of a bucket, and for those of the account that stays to what is charged of it. */
  addStored(bucketId: string, bytes: number): void {
    this.database.run('update buckets set usage = usage + ? where id = ?', [bytes, bucketId]);
    const isKept = this.database.query('select 1 from buckets where id = ? and user_id = ?');
    if (!isKept.get(bucketId, USER)) return;
    this.database.run(
      `insert into usage_hours (user_id, bucket_id, hour, bandwidth, uploaded, stored_change, stored_gib_ms,
        stored_byte_ms)
      values (?, ?, ?, 0, 0, ?, 0, 0)
      on conflict do update set stored_change = stored_change + excluded.stored_change`,
      [USER, bucketId, hourOf(Date.now()), bytes],
    );
  }

  /** Stores `OBJECT` below a prefix, which ends in '/'. */
  addObject(prefix: string, name: string): void {
    const folder = join(this.objects, prefix);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), OBJECT);
  }

  /** Whether there is anything below a prefix, or an object of this key. */
  isStored(prefix: string): boolean {
    return existsSync(join(this.objects, prefix));
  }

  /** Counts the folders and objects directly below a prefix. */
  countBelow(prefix: string): number {
    try {
      return readdirSync(join(this.objects, prefix)).length;
    } catch {
      return 0;
    }
  }
}
