import { isId } from '../../../../platform/ids.ts';
import { type Bucket, versioningOf } from '../../../buckets/service.ts';
import {
  type DeleteMarker,
  NULL_VERSION,
  type ObjectRow,
  versionIdOf,
} from '../../../files/service.ts';
import type { OperationDeps } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import { noSuchKey } from '../../refusals.ts';

/** Whether a text can be the id of a version. */
export const isVersionId = (text: string): boolean => text === NULL_VERSION || isId(text);

/** Returns the id of the version that a request names; null for the current object. Throws InvalidArgument. */
export function requestedVersion(query: ReadonlyMap<string, string>): string | null {
  const versionId = query.get('versionId') ?? '';
  if (versionId === '') return null;
  requireVersionId(versionId);
  return versionId;
}

/** Throws InvalidArgument where a text can't be the id of a version. */
export function requireVersionId(versionId: string): void {
  if (isVersionId(versionId)) return;
  throw new S3Error('InvalidArgument', 'The version id is not one of this server.', {
    ArgumentName: 'versionId',
    ArgumentValue: versionId,
  });
}

/** What a request reads. */
type Wanted = { bucket: Bucket; key: string; versionId: string | null };

/**
 * Returns a version of an object, or the current one. Throws NoSuchKey, NoSuchVersion, and MethodNotAllowed for a delete
 * marker, which has no bytes.
 */
export async function findObject(
  { files }: Pick<OperationDeps, 'files'>,
  { bucket, key, versionId }: Wanted,
): Promise<ObjectRow> {
  if (versionId === null) {
    const row = await files.objectAt(bucket.id, key);
    if (row) return row;
    const marker = versioningOf(bucket) && (await files.versions.lastMarker(bucket.id, key));
    throw marker ? noSuchKey(key, markerHeaders(marker)) : noSuchKey(key);
  }
  const found = await files.versions.find(bucket.id, key, versionId);
  if (found?.kind === 'object') return found.object;
  if (!found) {
    throw new S3Error('NoSuchVersion', 'The object has no such version.', {
      Key: key,
      VersionId: versionId,
    });
  }
  throw new S3Error(
    'MethodNotAllowed',
    'The version is a delete marker, which has no bytes.',
    { ResourceType: 'DeleteMarker' },
    {
      ...markerHeaders(found.marker),
      allow: 'DELETE',
      'last-modified': new Date(found.marker.at).toUTCString(),
    },
  );
}

/** Returns the headers that tell of a delete marker. */
export const markerHeaders = ({ id }: DeleteMarker): Record<string, string> => ({
  'x-amz-delete-marker': 'true',
  'x-amz-version-id': id,
});

/** Returns the header with the id of a version; none for a bucket that never kept versions. */
export const versionHeaders = (bucket: Bucket, row: ObjectRow): Record<string, string> =>
  versioningOf(bucket) === null ? {} : { 'x-amz-version-id': versionIdOf(row) };

/** Returns the same for an object that was just stored as a file. What is no version of its own has none, as in S3. */
export const newVersionHeaders = (bucket: Bucket, fileId: string): Record<string, string> =>
  versioningOf(bucket) === 'Enabled' ? { 'x-amz-version-id': fileId } : {};
