import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rgbaToThumbHash } from 'thumbhash';
import { ulid } from 'ulid';
import type { FileRow } from '../../server/platform/db/tables.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUN = join(ROOT, 'node_modules/.bin/bun');
const HOUR = 3_600_000;

/** The newest of them was made at this time, the others an hour before each other. */
export const NEWEST = Date.UTC(2026, 1, 10, 12);

/**
 * Files that look processed, newest first: `file-00000.jpg` and so on. Every fourth is a video, every
 * third private. There are no objects of them.
 */
export const fileRows = (bucketId: string, count: number): FileRow[] =>
  Array.from({ length: count }, (_, at) => {
    const createdAt = NEWEST - at * HOUR;
    const isVideo = at % 4 === 3;
    const id = ulid(createdAt).toLowerCase();
    return {
      id,
      bucket_id: bucketId,
      name: `file-${String(at).padStart(5, '0')}.${isVideo ? 'mp4' : 'jpg'}`,
      size: 1024 * (at + 1),
      file_type: isVideo ? 'video' : 'image',
      access: at % 3 === 2 ? 'private' : 'public',
      status: 'success',
      error: null,
      prefix: `f/${bucketId}/${id}/`,
      source_prefix: null,
      entry: isVideo ? 'master.m3u8' : 'file.jpg',
      width: 1600,
      height: 1200,
      duration: isVideo ? 8000 : null,
      playable: 1,
      thumb_hash: thumbHash(at),
      poster: null,
      previews: null,
      kept_original: 0,
      renditions: null,
      sha256: null,
      stored_bytes: 0,
      created_at: createdAt,
    };
  });

/** Of two colours from left to right, others for each file. */
function thumbHash(at: number): string {
  const [w, h] = [16, 12];
  const rgba = Uint8Array.from({ length: w * h * 4 }, (_, byte) => {
    const [x, channel] = [Math.floor(byte / 4) % w, byte % 4];
    return channel === 3 ? 255 : (at * 47 * (channel + 1) + x * 9) % 256;
  });
  return Buffer.from(rgbaToThumbHash(w, h, rgba)).toString('base64');
}

/** Puts rows into the database of a server that may be running. */
export const insertFiles = (dataDir: string, rows: FileRow[]) =>
  inDatabase(
    dataDir,
    `const columns = Object.keys(given[0]);
     const marks = columns.map((name) => '$' + name);
     const insert = file.query('insert into files (' + columns + ') values (' + marks + ')');
     for (const row of given) insert.run(row);`,
    rows,
  );

/** Changes some columns of rows, as the end of their jobs would. */
export const updateFiles = (dataDir: string, ids: string[], columns: Partial<FileRow>) =>
  inDatabase(
    dataDir,
    `const set = Object.keys(given.columns).map((name) => name + ' = $' + name);
     const update = file.query('update files set ' + set + ' where id = $id');
     for (const id of given.ids) update.run({ ...given.columns, id });`,
    { ids, columns },
  );

/** Runs in Bun, whose SQLite it is, though Playwright's tests do not. */
export async function inDatabase(dataDir: string, work: string, given: unknown): Promise<void> {
  const code = `const { Database } = await import('bun:sqlite');
    const given = await Bun.stdin.json();
    const file = new Database(process.argv.at(-1), { strict: true });
    file.run('pragma busy_timeout = 5000');
    file.transaction(() => { ${work} }).immediate();
    file.close();`;
  const child = spawn(BUN, ['-e', code, join(dataDir, 'wharf.db')], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const end = once(child, 'exit');
  child.stdin.end(JSON.stringify(given));
  const [status] = await end;
  if (status !== 0) throw new Error('The database could not be changed.');
}
