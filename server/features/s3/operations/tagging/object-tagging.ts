import { actorOf } from '../../../access/principal.ts';
import type { ObjectContext } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { noSuchKey } from '../../refusals.ts';
import type { S3Response } from '../../request.ts';
import { writeXml } from '../../xml/write.ts';
import { requireKey } from '../keys.ts';
import { readXml } from '../read-text.ts';
import { findObject, requestedVersion, versionHeaders } from '../versions/find-version.ts';
import { MAX_OBJECT_TAGS, parseTagging, taggingNodes } from './tags.ts';

/** Returns the object, or the version of it, that a request is about. */
async function findTagged({ deps, query, bucket, key }: ObjectContext) {
  requireKey(key);
  const row = await findObject(deps, { bucket, key, versionId: requestedVersion(query) });
  if (row.expires_at !== null && deps.clock() >= row.expires_at) throw noSuchKey(key);
  return row;
}

/** Returns the tags of an object. */
export async function getObjectTagging(context: ObjectContext): Promise<S3Response> {
  const row = await findTagged(context);
  const headers = versionHeaders(context.bucket, row);
  return xmlResponse(writeXml('Tagging', taggingNodes(row.tags)), 200, headers);
}

/** Replaces the tags of an object. */
export async function putObjectTagging(context: ObjectContext): Promise<S3Response> {
  return emptyResponse(
    200,
    await setTags(context, parseTagging(await readXml(context), MAX_OBJECT_TAGS)),
  );
}

/** Takes all tags of an object away. */
export async function deleteObjectTagging(context: ObjectContext): Promise<S3Response> {
  return emptyResponse(204, await setTags(context, null));
}

async function setTags(
  context: ObjectContext,
  tags: string | null,
): Promise<Record<string, string>> {
  const { deps, bucket, key, caller } = context;
  const row = await findTagged(context);
  const actor = actorOf(caller.principal);
  if (!(await deps.files.versions.change(bucket, row, { tags }, actor))) throw noSuchKey(key);
  return versionHeaders(bucket, row);
}
