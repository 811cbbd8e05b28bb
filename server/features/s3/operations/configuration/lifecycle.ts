import type { ExpiryRule } from '../../../../contract/files/expiry-rules.ts';
import { SECOND } from '../../../../contract/limits.ts';
import { actorOf } from '../../../access/principal.ts';
import { type Bucket, expiryOf, parseExpiryRules } from '../../../buckets/service.ts';
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
    (rule, index): XmlNode => [
      'Rule',
      [
        ['ID', ruleId(rule, index)],
        ['Filter', [['Prefix', rule.prefix]]],
        ['Status', 'Enabled'],
        ['Expiration', [['Days', rule.days]]],
      ],
    ],
  );
  return xmlResponse(writeXml('LifecycleConfiguration', nodes));
}

/** Returns the id of a rule; of one that has none, its place in the list. */
const ruleId = ({ id }: ExpiryRule, index: number): string => id ?? `expiry-${index + 1}`;

/** Returns the header that says when an object is deleted, and by which rule; none where it stays. */
export function expirationHeader(
  bucket: Pick<Bucket, 'expiry_rules'>,
  object: { path: string; created_at: number },
): Record<string, string> {
  const rules = parseExpiryRules(bucket.expiry_rules);
  const expiry = expiryOf(rules, object);
  if (!expiry) return {};
  // A date in a header has no milliseconds, and nothing is deleted before it.
  const date = new Date(Math.ceil(expiry.at / SECOND) * SECOND).toUTCString();
  const id = encodeURIComponent(ruleId(expiry.rule, rules.indexOf(expiry.rule)));
  return { 'x-amz-expiration': `expiry-date="${date}", rule-id="${id}"` };
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
