import { AppError } from '../../../errors.ts';
import { forEachConcurrent } from '../../../platform/concurrency.ts';
import { can } from '../../access/can.ts';
import { actorOf } from '../../access/principal.ts';
import { versioningOf } from '../../buckets/service.ts';
import type { BucketContext, ObjectContext } from '../context.ts';
import { emptyResponse, xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import { toRefusal, toS3Error } from '../refusals.ts';
import type { S3Response } from '../request.ts';
import { childrenOf, textOf, type XmlElement } from '../xml/parse.ts';
import { writeXml, type XmlNode } from '../xml/write.ts';
import {
  type DeleteConditions,
  deleteConditionsIn,
  parseDeleteConditions,
  requireDeletable,
} from './delete-conditions.ts';
import { requireKey } from './keys.ts';
import { MAX_LIST_BYTES, readXml } from './read-text.ts';
import { requestedVersion, requireVersionId } from './versions/find-version.ts';

/** As in S3. */
const MAX_KEYS = 1000;
const DELETE_CONCURRENCY = 8;

/** What is to be deleted: the object at a key, or a version of it by its id. */
type Target = { key: string; versionId: string | null; conditions: DeleteConditions };

/** What became of it: the version or the delete marker that was deleted, and the one that was created. */
type Deletion = { versionId?: string; isMarker: boolean; createdMarker?: string };

/**
 * Deletes an object, or a version of it. A key at which nothing is counts as deleted. Where a deleted object is kept, the
 * answer names the delete marker.
 */
export async function deleteObject(context: ObjectContext): Promise<S3Response> {
  const { key, query, request } = context;
  requireKey(key);
  const target = { key, versionId: requestedVersion(query) };
  const conditions = deleteConditionsIn(request.headers);
  const { versionId, isMarker, createdMarker } = await deleteTarget(context, target, conditions);
  const id = createdMarker ?? versionId;
  return emptyResponse(204, {
    ...(id !== undefined && { 'x-amz-version-id': id }),
    ...(isMarker && { 'x-amz-delete-marker': 'true' }),
  });
}

async function deleteTarget(
  context: BucketContext,
  { key, versionId }: Pick<Target, 'key' | 'versionId'>,
  conditions: DeleteConditions,
): Promise<Deletion> {
  const { deps, bucket, caller } = context;
  if (versionId === null) {
    await deleteKey(context, key, conditions);
    const marker = versioningOf(bucket) && (await deps.files.versions.lastMarker(bucket.id, key));
    return marker ? { isMarker: true, createdMarker: marker.id } : { isMarker: false };
  }
  // Versions protect files from programs that only write.
  const refusal = can(caller.principal, 'read-files', bucket);
  if (refusal) throw toRefusal(refusal);
  const found = await deps.files.versions.find(bucket.id, key, versionId);
  requireDeletable(conditions, key, found?.kind === 'object' ? found.object : undefined);
  const actor = actorOf(caller.principal);
  const subject = { bucket, path: key, versionId, actor };
  return { versionId, ...(await deps.files.versions.delete(subject)) };
}

async function deleteKey(
  { deps, bucket, caller }: BucketContext,
  key: string,
  conditions: DeleteConditions,
): Promise<void> {
  const { files } = deps;
  const actor = actorOf(caller.principal);
  let row = await files.objectAt(bucket.id, key);
  requireDeletable(conditions, key, row);
  if (!row && bucket.has_source === 1) {
    // What is still at the source must not come later, and what has come meanwhile goes.
    await deps.buckets.sources.exclude(bucket.id, key);
    row = await files.objectAt(bucket.id, key);
  }
  if (!row) return;
  if (row.file_type === 'folder') return files.emptyFolders.deleteMarker(bucket, key, actor);
  // The row is deleted by its id, so that another object which came to the key meanwhile stays.
  await files.deletion.deleteFile(bucket, row.id, actor).catch((error) => {
    if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
  });
}

/** Deletes up to 1,000 objects and versions, and tells of each what became of it. */
export async function deleteObjects(context: BucketContext): Promise<S3Response> {
  const { targets, isQuiet } = parseDelete(await readXml(context, { maxBytes: MAX_LIST_BYTES }));
  const results = new Map<Target, XmlNode>();
  // Versions of one key are deleted one after the other, as each may make another one current.
  const byKey = Map.groupBy(targets, ({ key }) => key).values();
  await forEachConcurrent([...byKey], DELETE_CONCURRENCY, async (ofKey) => {
    for (const target of ofKey) {
      const result = await deleted(context, target);
      if (result[0] === 'Error' || !isQuiet) results.set(target, result);
    }
  });
  const inOrder = targets.flatMap((target): XmlNode[] => {
    const result = results.get(target);
    return result ? [result] : [];
  });
  return xmlResponse(writeXml('DeleteResult', inOrder));
}

async function deleted(context: BucketContext, target: Target): Promise<XmlNode> {
  const { key } = target;
  const asked: XmlNode[] = [
    ['Key', key],
    ['VersionId', target.versionId ?? undefined],
  ];
  try {
    requireKey(key);
    if (target.versionId !== null) requireVersionId(target.versionId);
    const { conditions } = target;
    const { versionId, isMarker, createdMarker } = await deleteTarget(context, target, conditions);
    const marker: XmlNode[] = [
      ['DeleteMarker', true],
      ['DeleteMarkerVersionId', createdMarker ?? versionId],
    ];
    return ['Deleted', [...asked, ...(isMarker ? marker : [])]];
  } catch (error) {
    const { code, message } = toS3Error(error) ?? {
      code: 'InternalError',
      message: 'The object could not be deleted. Try again.',
    };
    return ['Error', [...asked, ['Code', code], ['Message', message]]];
  }
}

/** Returns what to delete, each once although it is named twice. */
function parseDelete(root: XmlElement): { targets: Target[]; isQuiet: boolean } {
  const objects = childrenOf(root, 'Object');
  if (root.name !== 'Delete' || objects.length === 0 || objects.length > MAX_KEYS) {
    throw new S3Error('MalformedXML', `Send 1 to ${MAX_KEYS} objects in a Delete element.`);
  }
  const targets = new Map<string, Target>();
  for (const object of objects) {
    const target = parseTarget(object);
    targets.set(JSON.stringify([target.key, target.versionId]), target);
  }
  return { targets: [...targets.values()], isQuiet: textOf(root, 'Quiet')?.trim() === 'true' };
}

function parseTarget(object: XmlElement): Target {
  const key = textOf(object, 'Key');
  if (!key) throw new S3Error('MalformedXML', 'An object has no Key.');
  const versionId = textOf(object, 'VersionId') || null;
  return { key, versionId, conditions: parseDeleteConditions(object) };
}
