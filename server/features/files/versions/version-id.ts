import { createHash } from 'node:crypto';
import { BEHIND_ALL_IDS, firstIdAt, isId, timeOf } from '../../../platform/ids.ts';
import type { Bucket } from '../../buckets/service.ts';
import type { FileRow, Place } from '../tables.ts';

/** The id of the one version of a path that was stored while its bucket kept no versions. */
export const NULL_VERSION = 'null';

/** Returns what `version_id` a new file gets. */
export const newVersionId = (
  { keep_versions }: Pick<Bucket, 'keep_versions'>,
  fileId: string,
): string | null => (keep_versions > 0 ? fileId : null);

/** Returns the id by which S3 clients know a version. Whatever else is kept has its own. */
export const versionIdOf = ({
  id,
  version_id,
  superseded_at,
}: Pick<FileRow, 'id' | 'version_id' | 'superseded_at'>): string =>
  version_id ?? (superseded_at === null ? NULL_VERSION : id);

/** A moment at which the file at a path was deleted. */
type Deletion = Place & { superseded_at: number };

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 10;

/**
 * Returns the id of the delete marker of a deletion, which has no row of its own: the file in the trash tells of it. It
 * sorts by the time of the deletion, as ids do.
 */
export function markerIdOf({ bucket_id, path, superseded_at }: Deletion): string {
  const hash = createHash('sha256').update(`marker/${bucket_id}/${path}`).digest();
  const letters = [...hash.subarray(0, 26 - TIME_LENGTH)].map((byte) => ALPHABET[byte & 31]);
  return firstIdAt(superseded_at).slice(0, TIME_LENGTH) + letters.join('');
}

/** Returns when the deletion was whose marker has an id, in epoch milliseconds; null where it is another id. */
export function markerTime(place: Place, versionId: string): number | null {
  // The time of a larger one is none.
  if (!isId(versionId) || versionId >= BEHIND_ALL_IDS) return null;
  const superseded_at = timeOf(versionId);
  return markerIdOf({ ...place, superseded_at }) === versionId ? superseded_at : null;
}
