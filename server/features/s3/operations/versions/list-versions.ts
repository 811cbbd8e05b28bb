import type { VersionEntry } from '../../../files/service.ts';
import type { BucketContext } from '../../context.ts';
import { xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { writeXml, type XmlNode } from '../../xml/write.ts';
import { ownerNode } from '../list-buckets.ts';
import { commonNodes, listRange, objectNodes } from '../list-objects.ts';
import { keyEncoding } from '../parameters.ts';
import { isVersionId } from './find-version.ts';

/**
 * Lists the versions and delete markers of a bucket. One that never kept versions has the current objects only, with the
 * id `null`.
 */
export async function listObjectVersions(context: BucketContext): Promise<S3Response> {
  const { deps, query, bucket } = context;
  const keyMarker = query.get('key-marker') ?? '';
  const versionMarker = query.get('version-id-marker') ?? '';
  requireVersionMarker(versionMarker, keyMarker);
  const { maxKeys, ...range } = listRange(query, keyMarker);
  const afterVersion = versionMarker === '' ? null : versionMarker;
  const found =
    maxKeys === 0 ? [] : await deps.files.versions.list(bucket, { ...range, afterVersion });
  const entries = found.slice(0, maxKeys);
  const isTruncated = found.length > maxKeys;
  const { encode } = keyEncoding(query);
  const last = isTruncated ? entries.at(-1) : undefined;
  return xmlResponse(
    writeXml('ListVersionsResult', [
      ...commonNodes(context, { isTruncated, maxKeys }),
      ['KeyMarker', encode(keyMarker)],
      ['VersionIdMarker', versionMarker],
      ['NextKeyMarker', last && encode(last.path)],
      ['NextVersionIdMarker', last && last.kind !== 'prefix' ? last.versionId : undefined],
      ...entries.flatMap((entry) => entryNode(entry, encode, bucket.user_id)),
      ...entries.flatMap((entry): XmlNode[] =>
        entry.kind === 'prefix' ? [['CommonPrefixes', [['Prefix', encode(entry.path)]]]] : [],
      ),
    ]),
  );
}

function entryNode(
  entry: VersionEntry,
  encode: (key: string) => string,
  ownerId: string,
): XmlNode[] {
  if (entry.kind === 'prefix') return [];
  const { kind, path, versionId, isLatest } = entry;
  const common: XmlNode[] = [
    ['Key', encode(path)],
    ['VersionId', versionId],
    ['IsLatest', isLatest],
  ];
  if (kind === 'version') {
    return [['Version', [...common, ...objectNodes(entry.object), ownerNode(ownerId)]]];
  }
  const modified: XmlNode = ['LastModified', new Date(entry.at).toISOString()];
  return [['DeleteMarker', [...common, modified, ownerNode(ownerId)]]];
}

function requireVersionMarker(marker: string, keyMarker: string): void {
  if (marker === '') return;
  const fails =
    keyMarker === ''
      ? 'version-id-marker needs a key-marker.'
      : isVersionId(marker)
        ? null
        : 'version-id-marker is not the one of a list.';
  if (fails === null) return;
  throw new S3Error('InvalidArgument', fails, {
    ArgumentName: 'version-id-marker',
    ArgumentValue: marker,
  });
}
