import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { newId } from '../../server/platform/ids.ts';

const FILE_BYTES = 10_000;

/**
 * Inserts plain files without objects into the database of a server that does not run: they can be listed and moved.
 * @param pathOf returns the path of a file by its number
 */
export function seedFiles(
  dataDir: string,
  bucketId: string,
  count: number,
  pathOf: (n: number) => string,
): void {
  const database = new Database(join(dataDir, 'wharf.db'), { strict: true });
  try {
    const insertBlob = database.query(`
      insert into blobs (id, bucket_id, prefix, object_key, size, refs, md5, created_at)
      values ($id, $bucket, $prefix, $prefix || 'file', ${FILE_BYTES}, 1, 'd41d8cd98f00b204e9800998ecf8427e', $at)`);
    const insertFile = database.query(`
      insert into files (id, bucket_id, name, path, content_type, size, file_type, access, blob_id, stored_bytes,
        created_at)
      values ($id, $bucket, $path, $path, 'application/octet-stream', ${FILE_BYTES}, 'file', 'public', $id,
        ${FILE_BYTES}, $at)`);
    const at = Date.now();
    database.transaction(() => {
      for (let n = 0; n < count; n += 1) {
        const id = newId(at);
        insertBlob.run({ id, bucket: bucketId, prefix: `o/${bucketId}/${id}/`, at });
        insertFile.run({ id, bucket: bucketId, path: pathOf(n), at });
      }
      database.run(
        'update buckets set total_uploads = total_uploads + ?, usage = usage + ? where id = ?',
        [count, count * FILE_BYTES, bucketId],
      );
    })();
    database.run('analyze');
    database.run('pragma wal_checkpoint(truncate)');
  } finally {
    database.close();
  }
}
