import { expect, test } from 'bun:test';
import { insertBuckets } from '../../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import type { FileWire } from '../../../contract/wire.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import type { Database } from '../../../platform/db/port.ts';
import { newUpload } from '../sessions/create-upload.ts';
import * as parts from '../sessions/parts-store.ts';
import * as store from '../sessions/store.ts';
import type { UploadSessionRow } from '../tables.ts';
import { checkChunkSize, earlierResult, requireSameChunk } from './chunks.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const FILE = { id: 'file' } as FileWire;

/** Inserts an upload of two chunks, of which the first has arrived. */
async function openUpload({ db, batch }: Database): Promise<UploadSessionRow> {
  await insertBuckets(db, NOW);
  const owner = { bucketId: 'b', uploader: 'u', clientId: 'c' };
  const own = { id: 'upload', protocol: 'chunked', prefix: 'u/upload/', total_parts: 2 } as const;
  const times = { touched_at: NOW, expires_at: NOW + 1 };
  const upload = newUpload(owner, NOW, { ...own, ...times });
  await batch([...store.uploadInsertions(db, upload), parts.partInsertion(db, chunk(0, 'a'))]);
  return upload;
}

const chunk = (number: number, sha256: string | null) => ({
  ...{
    upload_id: 'upload',
    position: number,
    size: 1,
    sha256,
    md5: null,
    checksum: null,
    object_key: `${number}`,
  },
});

const addChunk = (
  tx: Parameters<typeof parts.insertPart>[0],
  number: number,
  sha256: string | null = 'a',
) => parts.insertPart(tx, chunk(number, sha256));

await describeEachEngine('a chunk that has arrived before', (open) => {
  test('is answered with the file that the last chunk has made since the upload was read', async () => {
    const database = await open();
    const files = { find: async () => FILE };
    const services = { database, files, clock: () => NOW };
    const upload = await openUpload(database);
    expect(await earlierResult(services, upload, { number: 0, total: 2 })).toEqual({
      received: 1,
      total: 2,
      file: null,
    });
    expect(await earlierResult(services, upload, { number: 1, total: 2 })).toBeNull();
    await database.transaction(async (tx) => {
      await addChunk(tx, 1);
      const file = { fileId: FILE.id, expiresAt: NOW + 1 };
      await runStatements(tx, [store.completion(tx, 'upload', file, () => null)]);
    });
    expect(await earlierResult(services, upload, { number: 1, total: 2 })).toEqual({
      received: 2,
      total: 2,
      file: FILE,
    });
    const expired = { ...services, clock: () => NOW + 1 };
    await expect(earlierResult(expired, upload, { number: 1, total: 2 })).rejects.toThrow(
      'has expired',
    );
  });

  test('is the same one by its size and hash; by its size where an older version has stored it', async () => {
    const database = await open();
    const upload = await openUpload(database);
    await database.transaction((tx) => addChunk(tx, 1, null));
    const isSame = (number: number, size: number, sha256: string) =>
      requireSameChunk(database.db, upload.id, number, { size, sha256 }).then(
        () => true,
        (error) => error.status,
      );
    expect(await isSame(0, 1, 'a')).toBe(true);
    expect(await isSame(0, 1, 'b')).toBe(409);
    expect(await isSame(0, 2, 'a')).toBe(409);
    expect(await isSame(1, 1, 'b')).toBe(true);
    expect(await isSame(1, 2, 'b')).toBe(409);
    expect(await isSame(2, 1, 'a')).toBe(410);
  });
});

test.each([
  ['the first of three', 0, 3, VIDEO_CHUNK_BYTES, null],
  ['a shorter first one', 0, 3, VIDEO_CHUNK_BYTES - 1, 'must have exactly'],
  ['a longer first one', 0, 3, VIDEO_CHUNK_BYTES + 1, 'must have exactly'],
  ['a shorter one before the last', 1, 3, VIDEO_CHUNK_BYTES - 1, 'must have exactly'],
  ['a shorter last one', 2, 3, 1, null],
  ['an empty last one', 2, 3, 0, 'The chunk is empty.'],
  ['an empty only one', 0, 1, 0, 'The file is empty.'],
  ['a shorter only one', 0, 1, 1, null],
])('the size of %s is checked', (_, number, total, size, problem) => {
  const found = checkChunkSize(size, number, total);
  if (problem === null) expect(found).toBeNull();
  else expect(found).toContain(problem);
});
