import { newId } from '../../../platform/ids.ts';
import { rootOf } from '../../../platform/region-routing.ts';
import type { ObjectStore, SourceObject } from '../../../platform/storage/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import type { MediaRow } from '../../media/service.ts';
import { attemptPrefix, filePrefix, originalPrefix } from '../keys.ts';
import type { BlobRow } from '../tables.ts';
import type { CopySource } from './copy-store.ts';

/** An object of a copy, and the one whose bytes it gets. */
export type ObjectCopy = { key: string; source: SourceObject };

/** What a copy is made of. */
export type CopyPlan = {
  /** The id that the copy gets. */
  fileId: string;
  /** The prefixes below which its objects are, of which the first one has the reservation of its bytes. */
  prefixes: [string, ...string[]];
  objects: ObjectCopy[];
  /** How many bytes the copy counts: those of its objects, and those of a blob that it shares. */
  bytes: number;
  media: MediaRow | null;
  blob: { kind: 'none' } | { kind: 'shared'; id: string } | { kind: 'new'; row: BlobRow };
};

type Target = { bucket: Bucket; root: string; now: number };

/**
 * Returns how a file is copied to a bucket. Uploaded bytes are shared within a bucket, where the last version that is
 * deleted takes them along. What was made of them is copied, as it is deleted with its file.
 */
export async function planCopy(
  objects: Pick<ObjectStore, 'list'>,
  { media, blob }: Pick<CopySource, 'media' | 'blob'>,
  { bucket, root, now }: Target,
): Promise<CopyPlan> {
  const fileId = newId(now);
  const own = filePrefix(root, bucket.id, fileId);
  const made = media?.prefix ?? null;
  const results = attemptPrefix(root, bucket.id, fileId, newId(now));
  const uploaded = blob ? await objectsOf(objects, blob) : [];
  const copies = made === null ? [] : copiesOf(await objectsBelow(objects, made), made, results);
  const plan = {
    ...{ fileId, bytes: sum(uploaded) + sum(copies.map(({ source }) => source)) },
    media: media && { ...media, file_id: fileId, prefix: made && results },
  };
  if (!blob) return { ...plan, prefixes: [own], objects: copies, blob: { kind: 'none' } };
  // A bucket may have been moved to another storage since.
  if (blob.bucket_id === bucket.id && rootOf(blob.prefix) === root) {
    return { ...plan, prefixes: [own], objects: copies, blob: { kind: 'shared', id: blob.id } };
  }
  const prefix = originalPrefix(root, bucket.id, fileId);
  const object_key = blob.object_key && prefix + blob.object_key.slice(blob.prefix.length);
  const row = { ...blob, id: fileId, bucket_id: bucket.id, prefix, object_key, refs: 1 };
  return {
    ...plan,
    prefixes: [own, prefix],
    objects: [...copies, ...copiesOf(uploaded, blob.prefix, prefix)],
    blob: { kind: 'new', row: { ...row, created_at: now } },
  };
}

const sum = (objects: SourceObject[]) => objects.reduce((total, { size }) => total + size, 0);

const copiesOf = (objects: SourceObject[], from: string, to: string): ObjectCopy[] =>
  objects.map((source) => ({ key: to + source.key.slice(from.length), source }));

const objectsBelow = (objects: Pick<ObjectStore, 'list'>, prefix: string) =>
  Array.fromAsync(objects.list(prefix));

/** Beside the parts of a video its thumbnail may be kept. */
const objectsOf = async (objects: Pick<ObjectStore, 'list'>, blob: BlobRow) =>
  blob.object_key === null
    ? objectsBelow(objects, blob.prefix)
    : [{ key: blob.object_key, size: blob.size }];
