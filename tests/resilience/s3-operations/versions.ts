import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { KnownVersions } from './known-versions.ts';
import { deleteObjects } from './objects.ts';
import { KEYS, type Options, type Writer } from './writer.ts';

/** Returns a writer that changes objects which keep versions, and leaves none of them in the end. */
function versionsWriter(
  options: Options,
  count: number,
  write: (objects: KnownVersions[]) => Promise<void>,
): Writer {
  const objects = Array.from({ length: count }, (_, n) => new KnownVersions(options, n));
  return {
    keys: objects.map(({ current }) => current),
    write: () => write(objects),
    async check() {
      for (const object of objects) await object.check();
    },
  };
}

function deleteNewest({ client, bucket }: Options, object: KnownVersions): Promise<void> {
  const deleting = new DeleteObjectCommand({ Bucket: bucket, ...object.newest() });
  return object.deleteNewest(() => client().send(deleting));
}

/** The current version is deleted, and then the one before, which is the last one. */
export const versionDeletes = (options: Options): Writer =>
  versionsWriter(options, 1, async (objects) => {
    for (const object of objects) {
      await object.put();
      await object.put();
      await deleteNewest(options, object);
      await deleteNewest(options, object);
    }
  });

/** The same of several objects, with a request for all of them. */
export const bulkVersionDeletes = (options: Options): Writer =>
  versionsWriter(options, KEYS, async (objects) => {
    for (const object of [...objects, ...objects]) await object.put();
    for (let left = 2; left > 0; left -= 1) {
      const versions = objects.map((object) => object.newest());
      const sent = deleteObjects(options.client(), options.bucket, versions);
      await Promise.all(objects.map((object) => object.deleteNewest(() => sent)));
    }
  });

/** A deletion leaves a delete marker, whose own deletion brings the object back. */
export const markerDeletes = (options: Options): Writer =>
  versionsWriter(options, 1, async (objects) => {
    for (const object of objects) {
      await object.put();
      await object.hide();
      await deleteNewest(options, object);
    }
  });
