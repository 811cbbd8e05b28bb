import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { parseMetadata } from '../../features/uploads/sessions/description.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { Database } from './port.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite/open.ts';

const base = await mkdtemp(join(tmpdir(), 'wharf-uploads-'));
const postgres = await startPostgres();
afterAll(() => rm(base, { recursive: true }));

const all = Object.entries(migrations);
const at = all.findIndex(([name]) => name === '0078_upload_sessions');
const earlier = Object.fromEntries(all.slice(0, at));
const migrated = Object.fromEntries(all.slice(0, at + 1));

const openers: Record<string, () => Promise<Database>> = {
  SQLite: async () => openSqlite(join(await mkdtemp(join(base, 'data-')), 'wharf.db')),
  ...(postgres && {
    PostgreSQL: async () => openPostgres(await freshDatabase(postgres.url), { timeouts: null }),
  }),
};

/** Fills a database of the version before with uploads of all kinds, half-way and finished. */
async function fill({ db }: Database): Promise<void> {
  await sql`insert into users (id, email, email_key, password_hash, created_at)
    values ('u', 'a@b.c', 'a@b.c', 'x', 1)`.execute(db);
  await sql`insert into buckets (id, user_id, name, name_key, status, unused_key_mac, created_at)
    values ('b', 'u', 'B', 'b', 'running', 'm', 1)`.execute(db);
  const upload = (id: string, more: object) => {
    const row = {
      ...{ id, bucket_id: 'b', uploader: 'key', client_id: `${id}-client`, total_chunks: 2 },
      ...{ name: '', access: 'private', resolution: '', timeline_preview: 0, prefix: `u/${id}/` },
      ...{ touched_at: 5, created_at: 3, expires_at: 9, ...more },
    };
    return insert('uploads', row);
  };
  const insert = (table: string, row: object) =>
    sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((key) => sql.ref(key)))})
      values (${sql.join(Object.values(row))})`.execute(db);
  const described = { name: 'Ana\'s "film" ä.mp4', resolution: '1280x720,640x360' };
  await upload('half', { ...described, timeline_preview: 1, thumbnail: 'u/half/thumbnail.x' });
  await upload('opened', { touched_at: 0 });
  await upload('done', { name: 'a.mp4', access: 'public', total_chunks: 1, file_id: 'f1' });
  await upload('photo', { total_chunks: 1, file_id: 'f2', prefix: 'o/b/f2/' });
  const chunk = { number: 0, size: 7, object_key: 'u/half/0.x' };
  await insert('upload_chunks', { ...chunk, upload_id: 'half', sha256: null });
  await insert('upload_chunks', { ...chunk, upload_id: 'half', number: 1, sha256: 'h' });
  await insert('upload_chunks', { ...chunk, upload_id: 'photo', sha256: 'p' });
  const tus = { bucket_id: 'b', uploader: 'user:u', created_at: 4, expires_at: 8 };
  const metadata = '{"filename":"b.jpg","mine":null}';
  await insert('tus_uploads', { ...tus, id: 'tus', prefix: 'u/tus/', received: 5, metadata });
  await insert('tus_parts', { upload_id: 'tus', position: 0, size: 5, object_key: 'u/tus/0.x' });
}

for (const [engine, open] of Object.entries(openers)) {
  test(`uploads of all protocols go on in one table on ${engine}`, async () => {
    const database = await open();
    await migrate(database, earlier);
    await fill(database);
    await migrate(database, migrated);
    const rows = await database.db
      .selectFrom('upload_sessions')
      .selectAll()
      .orderBy('id')
      .execute();
    const expected = (id: string, more: object) => ({
      ...{ id, bucket_id: 'b', uploader: 'key', protocol: 'chunked', client_id: `${id}-client` },
      ...{ prefix: `u/${id}/`, thumbnail: null, total_parts: 2, length: null, received: 0 },
      ...{ file_id: null, touched_at: 5, created_at: 3, expires_at: 9, ...more },
    });
    expect<object[]>(rows.map(({ metadata: _, ...row }) => row)).toEqual([
      expected('done', { total_parts: 1, file_id: 'f1' }),
      expected('half', { thumbnail: 'u/half/thumbnail.x' }),
      expected('opened', { touched_at: 0 }),
      expected('photo', { protocol: 'form', total_parts: 1, file_id: 'f2', prefix: 'o/b/f2/' }),
      expected('tus', {
        ...{ protocol: 'tus', client_id: null, uploader: 'user:u', total_parts: null },
        ...{ received: 5, touched_at: 0, created_at: 4, expires_at: 8 },
      }),
    ]);
    const [done, half, opened, , tus] = rows.map(({ metadata }) => metadata);
    expect(parseMetadata(JSON.parse(half ?? ''))).toEqual({
      ...{
        fileName: 'Ana\'s "film" ä.mp4',
        fileType: undefined,
        destination: { path: null, folder: '', onConflict: 'rename' },
        preconditions: { ifMatch: null, ifNoneMatch: null },
        access: 'private',
        webp: false,
        isOptimized: true,
      },
      resolutions: [
        { width: 1280, height: 720 },
        { width: 640, height: 360 },
      ],
      timelinePreview: true,
    });
    expect(parseMetadata(JSON.parse(done ?? ''))).toMatchObject({
      ...{ fileName: 'a.mp4', access: 'public', resolutions: [], timelinePreview: false },
    });
    expect(parseMetadata(JSON.parse(opened ?? '')).fileName).toBeUndefined();
    expect(tus).toBe('{"filename":"b.jpg","mine":null}');
    const parts = await database.db
      .selectFrom('upload_parts')
      .selectAll()
      .orderBy('upload_id')
      .orderBy('position')
      .execute();
    const part = { position: 0, size: 7, object_key: 'u/half/0.x' };
    expect<object[]>(parts).toEqual([
      { ...part, upload_id: 'half', sha256: null },
      { ...part, upload_id: 'half', position: 1, sha256: 'h' },
      { ...part, upload_id: 'photo', sha256: 'p' },
      { ...part, upload_id: 'tus', size: 5, object_key: 'u/tus/0.x', sha256: null },
    ]);
    await database.close();
  });
}
