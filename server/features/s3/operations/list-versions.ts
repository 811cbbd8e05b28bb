import type { BucketContext } from '../context.ts';
import { xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import type { S3Response } from '../request.ts';
import { writeXml } from '../xml/write.ts';
import { commonNodes, entryNodes, findPage } from './list-objects.ts';
import { keyEncoding } from './parameters.ts';

/** The id under which the current object of a key is addressed, which is the only one that can be. */
export const CURRENT_VERSION = 'null';

/** Lists the current objects as versions. Earlier ones are in the dashboard and the API, which restore them. */
export async function listObjectVersions(context: BucketContext): Promise<S3Response> {
  const { query, bucket } = context;
  const keyMarker = query.get('key-marker') ?? '';
  const versionMarker = query.get('version-id-marker') ?? '';
  requireVersionMarker(versionMarker, keyMarker);
  // There is one version of each key, so the next one is always of another key.
  const page = await findPage(context, keyMarker);
  const { encode } = keyEncoding(query);
  const last = page.isTruncated ? page.entries.at(-1) : undefined;
  return xmlResponse(
    writeXml('ListVersionsResult', [
      ...commonNodes(context, page),
      ['KeyMarker', encode(keyMarker)],
      ['VersionIdMarker', versionMarker],
      ['NextKeyMarker', last && encode(last.path)],
      ['NextVersionIdMarker', last && !last.isPrefix ? CURRENT_VERSION : undefined],
      ...entryNodes(page, encode, { ownerId: bucket.user_id, versionId: CURRENT_VERSION }),
    ]),
  );
}

function requireVersionMarker(marker: string, keyMarker: string): void {
  if (marker === '') return;
  const fails =
    keyMarker === ''
      ? 'version-id-marker needs a key-marker.'
      : marker === CURRENT_VERSION
        ? null
        : 'version-id-marker is not the one of a list.';
  if (fails === null) return;
  throw new S3Error('InvalidArgument', fails, {
    ArgumentName: 'version-id-marker',
    ArgumentValue: marker,
  });
}
