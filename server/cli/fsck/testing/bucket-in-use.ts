import { DAY } from '../../../contract/limits.ts';
import { newUpload } from '../../../features/uploads/sessions/create-upload.ts';
import { appendPart, insertPart } from '../../../features/uploads/sessions/parts-store.ts';
import { uploadInsertions } from '../../../features/uploads/sessions/store.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import type { Database } from '../../../platform/db/port.ts';
import { openMemoryEvents } from '../../../platform/events/memory.ts';
import { Queue } from '../../../platform/queue/queue.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';

/**
 * Fills a database and a store with a bucket as of `now`: a finished file, a failed one, two that
 * are being processed, two that need no processing, one of them empty, and two unfinished uploads.
 */
export async function fill(
  database: Database,
  put: (key: string, length: number) => Promise<unknown>,
  now: number,
): Promise<void> {
  const { db } = database;
  const queue = new Queue({
    database,
    clock: () => now,
    events: openMemoryEvents({ onError: () => {} }),
    onError: () => {},
  });
  const at = { created_at: now };
  await db
    .insertInto('users')
    .values({
      id: 'u',
      email: 'a@b.c',
      email_key: 'a@b.c',
      password_hash: '',
      status: 'active',
      ...at,
    })
    .execute();
  await db
    .insertInto('buckets')
    .values({
      id: 'b',
      user_id: 'u',
      name: 'B',
      name_key: 'b',
      status: 'running',
      unused_key_mac: 'b',
      total_uploads: 6,
      usage: 390,
      ...at,
    } as never)
    .execute();
  await db
    .insertInto('api_keys')
    .values({
      ...({ id: 'b', bucket_id: 'b', name: 'Primary', scope: 'read-write' } as const),
      ...{ key_hash: 'b', key_sealed: 'b', expires_at: null, last_used_at: null, ...at },
    })
    .execute();
  await db
    .insertInto('billed_buckets')
    .values({
      bucket_id: 'b',
      user_id: 'u',
      name: null,
      charged_until: 0,
      carry: '0 0 0',
      stored: 390,
    })
    .execute();
  const file = async (
    id: string,
    more: { stored_bytes?: number },
    media: object,
    blob?: string,
  ) => {
    if (blob) {
      const bytes = { size: 100, refs: 1, object_key: null, ...at };
      await db
        .insertInto('blobs')
        .values({ id, bucket_id: 'b', prefix: blob, ...bytes })
        .execute();
    }
    await db
      .insertInto('files')
      .values({
        id,
        bucket_id: 'b',
        name: id,
        path: id,
        content_type: 'video/mp4',
        size: 100,
        file_type: 'video',
        access: 'public',
        stored_bytes: 100,
        blob_id: blob ? id : null,
        ...at,
        ...more,
      } as never)
      .execute();
    await db
      .insertInto('media')
      .values({ file_id: id, ...media } as never)
      .execute();
  };

  await put('f/b/done/a1/film.m3u8', 20);
  await put('f/b/done/a1/720/segment.m4s', 20);
  await put('f/b/done/a1/poster.webp', 10);
  await put('f/b/done/a1/previews.vtt', 10);
  await put('o/b/done/original', 100);
  await file(
    'done',
    { stored_bytes: 160 },
    {
      status: 'success',
      prefix: 'f/b/done/a1/',
      entry: 'film.m3u8',
      poster: 'poster.webp',
      previews: 'previews.vtt',
    },
    'o/b/done/',
  );
  await file('failed', { stored_bytes: 0 }, { status: 'error' });

  for (const [id, size] of [
    ['plain', 30],
    ['empty', 0],
  ] as const) {
    const object_key = `o/b/${id}/file.txt`;
    await put(object_key, size);
    await db
      .insertInto('blobs')
      .values({ id, bucket_id: 'b', prefix: `o/b/${id}/`, object_key, size, refs: 1, ...at })
      .execute();
    await db
      .insertInto('files')
      .values({
        ...{ id, bucket_id: 'b', name: id, path: id, content_type: 'text/plain', size },
        ...({ file_type: 'file', access: 'public', stored_bytes: size, blob_id: id } as const),
        ...at,
      } as never)
      .execute();
  }

  await put('u/waiting/0.x', 100);
  await put('u/waiting/thumbnail.x', 5);
  await file('waiting', {}, { status: 'processing' }, 'u/waiting/');
  const payload = { sources: ['u/waiting/0.x'], thumbnail: 'u/waiting/thumbnail.x' };
  await queue.add(db, { kind: 'video', subject: 'waiting', payload });

  await put('u/early/0.x', 100);
  await put('f/b/early/a1/early.m3u8', 10);
  await scheduleDelete(db, 'f/b/early/a1/', now + DAY);
  const playableRow = {
    status: 'processing',
    playable: 1,
    prefix: 'f/b/early/a1/',
    entry: 'master.m3u8',
  };
  await file('early', {}, playableRow, 'u/early/');

  await database.transaction(async (tx) => {
    const owner = { bucketId: 'b', uploader: 'key', clientId: null };
    const thumbnail = 'u/open/thumbnail.x';
    const uploads = [
      newUpload(owner, now, {
        ...({ id: 'open', protocol: 'chunked', prefix: 'u/open/' } as const),
        ...{ total_parts: 2, thumbnail },
      }),
      newUpload(owner, now, { id: 'tus', protocol: 'tus', prefix: 'u/tus/', length: 80 }),
    ];
    for (const upload of uploads) {
      await scheduleDelete(tx, upload.prefix, now + DAY);
      await runStatements(tx, uploadInsertions(tx, upload));
    }
    const part = { position: 0, sha256: null, md5: null, checksum: null };
    await insertPart(tx, { ...part, upload_id: 'open', size: 50, object_key: 'u/open/0.x' });
    await appendPart(tx, { ...part, upload_id: 'tus', size: 40, object_key: 'u/tus/0.x' });
  });
  await put('u/open/0.x', 50);
  await put('u/open/thumbnail.x', 5);
  await put('u/tus/0.x', 40);
}
