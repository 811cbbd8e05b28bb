import type { ExpiryRule } from '../../../../contract/files/expiry-rules.ts';
import { actorOf } from '../../../access/principal.ts';
import { parseExpiryRules } from '../../../buckets/service.ts';
import type { BucketContext } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { writeXml, type XmlNode } from '../../xml/write.ts';
import { readText } from '../read-text.ts';
import { parseLifecycle } from './lifecycle-document.ts';

/** Returns the rules by which the objects of a bucket expire. */
export async function getBucketLifecycle({ bucket }: BucketContext): Promise<S3Response> {
  const rules = parseExpiryRules(bucket.expiry_rules);
  if (rules.length === 0) {
    throw new S3Error('NoSuchLifecycleConfiguration', 'The bucket has no such configuration.');
  }
  const nodes = rules.map(
    ({ prefix, days }, index): XmlNode => [
      'Rule',
      [
        // The ids that clients send aren't kept.
        ['ID', `expiry-${index + 1}`],
        ['Filter', [['Prefix', prefix]]],
        ['Status', 'Enabled'],
        ['Expiration', [['Days', days]]],
      ],
    ],
  );
  return xmlResponse(writeXml('LifecycleConfiguration', nodes));
}

/** Replaces the rules by which the objects of a bucket expire. */
export async function putBucketLifecycle(context: BucketContext): Promise<S3Response> {
  await setRules(context, parseLifecycle(await readText(context)));
  return emptyResponse(200);
}

/** Lets no object of a bucket expire by a rule any more. */
export async function deleteBucketLifecycle(context: BucketContext): Promise<S3Response> {
  await setRules(context, []);
  return emptyResponse(204);
}

async function setRules({ deps, bucket, caller }: BucketContext, expiry_rules: ExpiryRule[]) {
  if (expiry_rules.length === 0 && bucket.expiry_rules === null) return;
  const actor = actorOf(caller.principal);
  await deps.buckets.setRetention(bucket.user_id, bucket.id, { expiry_rules }, actor);
}
