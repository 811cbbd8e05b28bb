import { SECOND, ZIP_LINK_TTL_MS, ZIP_MAX_FILES } from '../../../contract/limits.ts';
import type { ZipWire } from '../../../contract/wire.ts';
import { invalid, notFound, tooMany } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { forEachConcurrent } from '../../../platform/concurrency.ts';
import type { Database } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import { lockUser } from '../../accounts/service.ts';
import type { Reader } from '../../tokens/guard.ts';
import type { Tokens } from '../../tokens/service.ts';
import { commonFolder, type ZipEntry, ZipNames, zipPathOf, zipSourceOf } from './zip-entries.ts';
import * as store from './zip-store.ts';

/** A page of rows keeps the event loop busy for a few milliseconds. */
const PAGE_ROWS = 1000;
const HEAD_CONCURRENCY = 8;
/** Each is a row with up to a thousand ids, so a program could fill the database with them. */
const MAX_LINKS = 100;

/** What is to be in a ZIP: all files of a folder, which ends in '/' or is '' for the top, or some files. */
export type ZipSelection = { folder: string } | { ids: string[] };

/** A ZIP whose entries are known, but of which nothing is read yet. */
export type ZipContents = {
  /** The name of the download. */
  name: string;
  entries: ZipEntry[];
  leftOut: number;
  size: number;
};

/** An entry whose size may not be known yet. */
type FoundEntry = Omit<ZipEntry, 'size'> & { size: number | null };

type Deps = {
  database: Database;
  clock: Clock;
  objects: Pick<ObjectStore, 'head'>;
  tokens: Pick<Tokens, 'mintForZip'>;
  appUrl: string;
};

/** The ZIPs of folders and selections. They are never stored: a link names what is to be in one. */
export class Zips {
  constructor(private readonly deps: Deps) {}

  /** Returns the link to a ZIP, and what will be in it. Throws invalid, not-found, too-many. */
  async create(reader: Reader, selection: ZipSelection): Promise<ZipWire> {
    const { database, clock, tokens, appUrl } = this.deps;
    const { bucket } = reader;
    const { name, entries, leftOut, size } = await this.contentsOf(bucket.id, selection);
    if (entries.length + leftOut === 0) throw notFound('folder' in selection ? 'Folder' : 'File');
    const now = clock();
    const expiresAt = Math.floor((now + ZIP_LINK_TTL_MS) / SECOND) * SECOND;
    const zip = {
      ...{ id: newId(now), user_id: bucket.user_id, bucket_id: bucket.id, expires_at: expiresAt },
      folder: 'folder' in selection ? selection.folder : null,
      file_ids: 'ids' in selection ? JSON.stringify(selection.ids) : null,
    };
    const counts = { files: entries.length, left_out: leftOut, size };
    const expires_at = new Date(expiresAt).toISOString();
    if (entries.length === 0) return { name, url: null, ...counts, expires_at };
    await database.transaction(async (tx) => {
      // Of calls at the same time, each counts the others.
      await lockUser(tx, bucket.user_id);
      if (await store.hasZips(tx, bucket.user_id, { now, limit: MAX_LINKS })) {
        const text = `An account can have ${MAX_LINKS} links to ZIPs at a time. Try again in some minutes.`;
        throw tooMany(text, ZIP_LINK_TTL_MS);
      }
      await store.insertZip(tx, zip);
    });
    const token = await tokens.mintForZip(reader, zip.id, expiresAt / SECOND);
    const url = `${appUrl}/files/zip/${bucket.id}/${zip.id}?token=${token}`;
    return { name, url, ...counts, expires_at };
  }

  /** Returns what is in the ZIP of a link now. Throws not-found, invalid. */
  async contents(bucketId: string, zipId: string): Promise<ZipContents> {
    const { database, clock } = this.deps;
    const zip = await store.zipById(database.db, zipId, clock());
    if (zip?.bucket_id !== bucketId) throw notFound('ZIP');
    return this.contentsOf(
      bucketId,
      zip.file_ids === null ? { folder: zip.folder ?? '' } : { ids: JSON.parse(zip.file_ids) },
    );
  }

  /** Deletes what expired links had in them. */
  async deleteExpired(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.deps;
    await store.deleteExpiredZips(database.db, clock(), signal);
  }

  private async contentsOf(bucketId: string, selection: ZipSelection): Promise<ZipContents> {
    const rows = await this.rowsOf(bucketId, selection);
    const folder =
      'folder' in selection ? selection.folder : commonFolder(rows.map(({ path }) => path));
    const names = new ZipNames(folder);
    const entries: FoundEntry[] = [];
    for (const row of rows) {
      const source = zipSourceOf(row);
      if (!source) continue;
      const name = names.add(zipPathOf(row, source));
      const { id: fileId, created_at: modifiedAt } = row;
      entries.push({ fileId, name, modifiedAt, size: source.size, source });
    }
    const sized = await this.withSizes(entries);
    const { predictLength } = await import('client-zip');
    return {
      name: `${folder.slice(0, -1).split('/').at(-1) || 'files'}.zip`,
      entries: sized,
      leftOut: rows.length - sized.length,
      size: Number(predictLength(sized)),
    };
  }

  /** A file that has expired is not delivered any more, and is no part of its folder. */
  private async rowsOf(bucketId: string, selection: ZipSelection): Promise<store.ZipFileRow[]> {
    const { database, clock } = this.deps;
    const now = clock();
    const isThere = ({ expires_at }: store.ZipFileRow) => expires_at === null || expires_at > now;
    if ('ids' in selection) {
      const ids = [...new Set(selection.ids)];
      return (await store.zipFilesByIds(database.db, bucketId, ids)).filter(isThere);
    }
    const rows: store.ZipFileRow[] = [];
    const { folder: prefix } = selection;
    for (let after = ''; ; ) {
      const range = { prefix, after, limit: PAGE_ROWS };
      const page = await store.zipFilesIn(database.db, bucketId, range);
      rows.push(...page.filter(isThere));
      if (rows.length > ZIP_MAX_FILES) {
        const count = ZIP_MAX_FILES.toLocaleString('en');
        throw invalid(`A ZIP can have ${count} files at most. Choose a smaller folder.`);
      }
      after = page.at(-1)?.path ?? '';
      if (page.length < PAGE_ROWS) return rows;
    }
  }

  /** Asks the storage for sizes that an earlier version has not stored. An object that is gone is left out. */
  private async withSizes(entries: FoundEntry[]): Promise<ZipEntry[]> {
    const unknown = entries.filter(({ size }) => size === null);
    await forEachConcurrent(unknown, HEAD_CONCURRENCY, async (entry) => {
      if ('key' in entry.source) {
        entry.size = (await this.deps.objects.head(entry.source.key))?.size ?? null;
      }
    });
    return entries.flatMap(({ size, ...entry }) => (size === null ? [] : { ...entry, size }));
  }
}
