import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KIB } from '../../server/contract/limits.ts';
import { newId } from '../../server/platform/ids.ts';
import { makeImage } from '../fixtures.ts';
import type { Seeded } from './seed.ts';

const pathOf = (dataDir: string, key: string) => join(dataDir, 'storage', 'objects', key);
const folderOf = (dataDir: string, { bucketId }: Seeded) => pathOf(dataDir, `f/${bucketId}`);

/**
 * Puts objects of 1 KiB into the folder of the big bucket: that of the newest file, and `count` that no row
 * names. Only the deletion of the bucket's folder comes across them.
 */
export async function seedObjects(dataDir: string, seeded: Seeded, count: number): Promise<void> {
  const image = await makeImage(KIB);
  put(pathOf(dataDir, seeded.newestKey), image);
  const folder = folderOf(dataDir, seeded);
  const now = Date.now();
  for (let n = 0; n < count; n += 1) put(join(folder, newId(now + n), 'file.jpg'), image);
}

function put(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

/** Whether no object of the big bucket is left. */
export const areObjectsDeleted = (dataDir: string, seeded: Seeded): boolean =>
  !existsSync(folderOf(dataDir, seeded));
