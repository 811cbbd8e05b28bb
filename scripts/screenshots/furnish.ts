import { join } from 'node:path';
import { createBucket, uploadImage } from '../../tests/support/api.ts';
import { fileRows, insertFiles, updateFiles } from '../../tests/support/file-rows.ts';
import type { ServerProcess } from '../../tests/support/server-process.ts';

const PHOTO = join(import.meta.dir, '../../server/features/landing/red-panda.jpg');
const NAMES = ['Drafts', 'Product videos', 'Holiday in Lisbon', 'Website'];

const SUBJECTS = [
  'harbour-at-dawn',
  'crane-12',
  'ropes',
  'lighthouse',
  'north-pier',
  'fog',
  'gulls',
];

/** A name and a size as files have them. */
const lookOf = (type: string, at: number) => {
  const name = SUBJECTS[at % SUBJECTS.length] + (at < SUBJECTS.length ? '' : `-${at}`);
  const size = Math.round(240_000 * (1 + ((at * 37) % 61) / 7) * (type === 'video' ? 24 : 1));
  return { name: `${name}.${type === 'video' ? 'mp4' : 'jpg'}`, size };
};

/** What the pages show: some buckets, one with files of every status, one with none. */
export async function furnish(server: ServerProcess, token: string) {
  const buckets = [];
  for (const name of NAMES) buckets.push(await createBucket(server, token, name));
  const [empty, , , full] = buckets;
  if (!empty || !full) throw new Error('There are too few buckets.');
  const photo = new File([await Bun.file(PHOTO).bytes()], 'red-panda.jpg');
  const rows = fileRows(full.id, 60).map((row, at) => ({ ...row, ...lookOf(row.file_type, at) }));
  await insertFiles(server.dataDir, rows);
  const [first, second] = rows;
  if (first) await updateFiles(server.dataDir, [first.id], { status: 'processing' });
  if (second) {
    const error = 'The picture ends before it should.';
    await updateFiles(server.dataDir, [second.id], { status: 'error', error });
  }
  const { id: file } = await uploadImage(server, full, photo);
  return { empty: empty.id, full: full.id, file };
}
