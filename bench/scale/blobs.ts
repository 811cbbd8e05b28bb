import type { ScaleDatabase } from './scale-database.ts';

/**
 * Gives all files a kept original, in programs that have the table `blobs`, and lets the database learn what its
 * tables have, some of which the program's migrations have filled.
 */
export async function addBlobs(database: ScaleDatabase): Promise<void> {
  if (await hasBlobs(database)) {
    await database.run(`
      insert into blobs (id, bucket_id, prefix, size, refs, created_at)
      select id, bucket_id, 'o/' || bucket_id || '/' || id || '/', size, 1, created_at from files
      where blob_id is null order by id`);
    await database.run(
      'update files set blob_id = id where blob_id is null and exists (select 1 from blobs where blobs.id = files.id)',
    );
  }
  await database.analyze();
}

const hasBlobs = (database: ScaleDatabase): Promise<boolean> =>
  database.count('select count(*) from blobs where refs < 0').then(
    () => true,
    () => false,
  );
