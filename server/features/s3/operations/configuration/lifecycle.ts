import type { ExpiryRule } from '../../../../contract/files/expiry-rules.ts';
import { KIB, SECOND } from '../../../../contract/limits.ts';
import { actorOf } from '../../../access/principal.ts';
import {
  type Bucket,
  expiryColumns,
  expiryOf,
  parseExpiryRules,
} from '../../../buckets/service.ts';
import type { BucketContext } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { writeXml, type XmlNode } from '../../xml/write.ts';
import { readXml } from '../read-text.ts';
import { type LifecycleRule, parseLifecycle, toExpiryRules } from './lifecycle-document.ts';

/** The characters of a document that a bucket keeps, as JSON. */
const MAX_DOCUMENT_LENGTH = 64 * KIB;

/**
 * Returns the lifecycle of a bucket, as a client has sent it for as long as it says what the bucket does: the dashboard
 * changes the same rules.
 */
export async function getBucketLifecycle({ deps, bucket }: BucketContext): Promise<S3Response> {
  const current = parseExpiryRules(bucket.expiry_rules);
  const document = await deps.buckets.s3.findDocument(bucket.id, 'lifecycle');
  const sent: LifecycleRule[] = document === undefined ? [] : JSON.parse(document);
  const isTrue = JSON.stringify(toExpiryRules(sent)) === JSON.stringify(current);
  const rules = isTrue ? sent : current.map(toLifecycleRule);
  if (rules.length === 0) {
    throw new S3Error('NoSuchLifecycleConfiguration', 'The bucket has no such configuration.');
  }
  return xmlResponse(writeXml('LifecycleConfiguration', ruleNodes(rules)));
}

const toLifecycleRule = (rule: ExpiryRule): LifecycleRule => ({
  ...rule,
  ...{ isFlat: false, isEnabled: true, deletesMarkers: false },
});

function ruleNodes(rules: readonly LifecycleRule[]): XmlNode[] {
  let expiring = 0;
  return rules.map((rule, index): XmlNode => {
    const { prefix, isFlat, isEnabled, days, deletesMarkers, abortDays } = rule;
    const ofExpiry = isEnabled && days !== undefined;
    const id = ofExpiry ? ruleId(rule, expiring++) : (rule.id ?? `rule-${index + 1}`);
    const expiration: XmlNode[] = deletesMarkers
      ? [['ExpiredObjectDeleteMarker', true]]
      : [['Days', days]];
    const abort: XmlNode[] = [['DaysAfterInitiation', abortDays]];
    return [
      'Rule',
      [
        ['ID', id],
        isFlat ? ['Prefix', prefix] : ['Filter', [['Prefix', prefix]]],
        ['Status', isEnabled ? 'Enabled' : 'Disabled'],
        ['Expiration', days === undefined && !deletesMarkers ? undefined : expiration],
        ['AbortIncompleteMultipartUpload', abortDays === undefined ? undefined : abort],
      ],
    ];
  });
}

/** Returns the id of a rule; of one that has none, its place in the list. */
const ruleId = ({ id }: Pick<ExpiryRule, 'id'>, index: number): string =>
  id ?? `expiry-${index + 1}`;

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
  await setLifecycle(context, parseLifecycle(await readXml(context)));
  return emptyResponse(200);
}

/** Lets no object of a bucket expire by a rule any more. */
export async function deleteBucketLifecycle(context: BucketContext): Promise<S3Response> {
  await setLifecycle(context, null);
  return emptyResponse(204);
}

async function setLifecycle(
  { deps, bucket, caller }: BucketContext,
  rules: LifecycleRule[] | null,
): Promise<void> {
  const content = rules && JSON.stringify(rules);
  if (content && content.length > MAX_DOCUMENT_LENGTH) {
    throw new S3Error('InvalidRequest', 'The lifecycle is too long. Use fewer or shorter rules.');
  }
  const isNone = rules === null && bucket.expiry_rules === null;
  if (isNone && !(await deps.buckets.s3.findDocument(bucket.id, 'lifecycle'))) return;
  const actor = actorOf(caller.principal);
  await deps.buckets.s3.setDocument(
    { userId: bucket.user_id, id: bucket.id, actor },
    { kind: 'lifecycle', content },
    expiryColumns(toExpiryRules(rules ?? []), deps.clock()),
  );
}
