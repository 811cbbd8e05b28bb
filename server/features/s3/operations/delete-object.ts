import { AppError } from '../../../errors.ts';
import { forEachConcurrent } from '../../../platform/concurrency.ts';
import { actorOf } from '../../access/principal.ts';
import type { BucketContext, ObjectContext } from '../context.ts';
import { emptyResponse, xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import { toS3Error } from '../refusals.ts';
import type { S3Response } from '../request.ts';
import { childrenOf, parseXml, textOf } from '../xml/parse.ts';
import { writeXml, type XmlNode } from '../xml/write.ts';
import {
  type DeleteConditions,
  deleteConditionsIn,
  parseDeleteConditions,
  requireDeletable,
} from './delete-conditions.ts';
import { requireKey } from './keys.ts';
import { readText } from './read-text.ts';

/** As in S3. */
const MAX_KEYS = 1000;
const DELETE_CONCURRENCY = 8;

/** Deletes an object. A key at which nothing is counts as deleted. */
export async function deleteObject(context: ObjectContext): Promise<S3Response> {
  requireKey(context.key);
  await deleteKey(context, context.key, deleteConditionsIn(context.request.headers));
  return emptyResponse(204);
}

async function deleteKey(
  { deps, bucket, caller }: BucketContext,
  key: string,
  conditions: DeleteConditions,
): Promise<void> {
  const { files } = deps;
  const actor = actorOf(caller.principal);
  const row = await files.objectAt(bucket.id, key);
  requireDeletable(conditions, key, row);
  if (!row) return;
  if (row.file_type === 'folder') return files.emptyFolders.deleteMarker(bucket, key, actor);
  // The row is deleted by its id, so that another object which came to the key meanwhile stays.
  await files.deletion.deleteFile(bucket, row.id, actor).catch((error) => {
    if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
  });
}

/** Deletes up to 1,000 objects, and tells of each what became of it. */
export async function deleteObjects(context: BucketContext): Promise<S3Response> {
  const { objects, isQuiet } = parseDelete(await readText(context));
  const results = new Map<string, XmlNode>();
  await forEachConcurrent(objects, DELETE_CONCURRENCY, async ([key, conditions]) => {
    const result = await deleted(context, key, conditions);
    if (result[0] === 'Error' || !isQuiet) results.set(key, result);
  });
  const inOrder = [...objects.keys()].flatMap((key) => {
    const result = results.get(key);
    return result ? [result] : [];
  });
  return xmlResponse(writeXml('DeleteResult', inOrder));
}

async function deleted(
  context: BucketContext,
  key: string,
  conditions: DeleteConditions,
): Promise<XmlNode> {
  try {
    requireKey(key);
    await deleteKey(context, key, conditions);
    return ['Deleted', [['Key', key]]];
  } catch (error) {
    const { code, message } = toS3Error(error) ?? {
      code: 'InternalError',
      message: 'The object could not be deleted. Try again.',
    };
    return [
      'Error',
      [
        ['Key', key],
        ['Code', code],
        ['Message', message],
      ],
    ];
  }
}

/** Returns the keys to delete, of which one that is named twice is deleted once, with their conditions. */
function parseDelete(body: string): {
  objects: Map<string, DeleteConditions>;
  isQuiet: boolean;
} {
  const root = parseXml(body);
  const objects = childrenOf(root, 'Object');
  if (root.name !== 'Delete' || objects.length === 0 || objects.length > MAX_KEYS) {
    throw new S3Error('MalformedXML', `Send 1 to ${MAX_KEYS} objects in a Delete element.`);
  }
  const entries = objects.map((object): [string, DeleteConditions] => {
    const version = textOf(object, 'VersionId') ?? 'null';
    if (version !== 'null' && version !== '') {
      throw new S3Error('NotImplemented', 'Earlier versions can not be deleted by their id.');
    }
    const key = textOf(object, 'Key');
    if (key) return [key, parseDeleteConditions(object)];
    throw new S3Error('MalformedXML', 'An object has no Key.');
  });
  return { objects: new Map(entries), isQuiet: textOf(root, 'Quiet')?.trim() === 'true' };
}
