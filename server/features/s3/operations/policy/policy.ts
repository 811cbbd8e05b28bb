import { actorOf } from '../../../access/principal.ts';
import { parseS3Access } from '../../../buckets/service.ts';
import type { BucketContext } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { writeXml } from '../../xml/write.ts';
import { readText } from '../read-text.ts';
import { isPublicPolicy, parsePolicy } from './document.ts';
import type { PolicyDocument } from './grants.ts';

/** Returns the policy of a bucket, as it was sent. Throws NoSuchBucketPolicy where it has none. */
export async function getBucketPolicy(context: BucketContext): Promise<S3Response> {
  const document = await findDocument(context);
  if (!document) throw new S3Error('NoSuchBucketPolicy', 'The bucket has no policy.');
  return { status: 200, headers: { 'content-type': 'application/json' }, body: document.text };
}

/** Lets others read objects or list the bucket. Throws where it blocks that for everybody. */
export async function putBucketPolicy(context: BucketContext): Promise<S3Response> {
  const { bucket, bucketName } = context;
  const text = await readText(context);
  const policy = parsePolicy(text, bucketName);
  if (parseS3Access(bucket).block?.BlockPublicPolicy && isPublicPolicy(policy)) {
    throw new S3Error('AccessDenied', 'The bucket blocks public policies (BlockPublicPolicy).');
  }
  await setPolicy(context, { text, policy });
  return emptyResponse(204);
}

export async function deleteBucketPolicy(context: BucketContext): Promise<S3Response> {
  if (parseS3Access(context.bucket).hasPolicy) await setPolicy(context, null);
  return emptyResponse(204);
}

/** Says whether everybody may list a bucket by its ACL, or do something by its policy. */
export async function getPolicyStatus(context: BucketContext): Promise<S3Response> {
  const { lists_public, ignores_public } = context.bucket;
  const document = await findDocument(context);
  const isPublic =
    (lists_public === 1 && ignores_public === 0) || (document && isPublicPolicy(document.policy));
  return xmlResponse(writeXml('PolicyStatus', [['IsPublic', isPublic === true]]));
}

async function findDocument({ deps, bucket }: BucketContext): Promise<PolicyDocument | null> {
  const content = await deps.buckets.s3.findDocument(bucket.id, 'policy');
  return content === undefined ? null : JSON.parse(content);
}

async function setPolicy(
  { deps, bucket, caller }: BucketContext,
  document: PolicyDocument | null,
): Promise<void> {
  const subject = { userId: bucket.user_id, id: bucket.id, actor: actorOf(caller.principal) };
  await deps.buckets.s3.setPolicy(subject, document && JSON.stringify(document));
}
