import { actorOf } from '../../../access/principal.ts';
import type { BucketContext } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { writeXml } from '../../xml/write.ts';
import { readXml } from '../read-text.ts';
import { MAX_BUCKET_TAGS, parseTagging, taggingNodes } from './tags.ts';

/** Returns the tags of a bucket. Throws NoSuchTagSet where it has none. */
export async function getBucketTagging({ bucket }: BucketContext): Promise<S3Response> {
  if (bucket.tags === null) throw new S3Error('NoSuchTagSet', 'The bucket has no tags.');
  return xmlResponse(writeXml('Tagging', taggingNodes(bucket.tags)));
}

/** Replaces the tags of a bucket. */
export async function putBucketTagging(context: BucketContext): Promise<S3Response> {
  await setTags(context, parseTagging(await readXml(context), MAX_BUCKET_TAGS));
  // S3's reference says 200, its example 204, and minio-js fails with the latter.
  return emptyResponse(200);
}

/** Takes all tags of a bucket away. */
export async function deleteBucketTagging(context: BucketContext): Promise<S3Response> {
  await setTags(context, null);
  return emptyResponse(204);
}

async function setTags({ deps, bucket, caller }: BucketContext, tags: string | null) {
  if (tags === bucket.tags) return;
  await deps.buckets.settings.setTags(bucket.user_id, bucket.id, tags, actorOf(caller.principal));
}
