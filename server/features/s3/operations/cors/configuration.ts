import { KIB } from '../../../../contract/limits.ts';
import { actorOf } from '../../../access/principal.ts';
import { type Bucket, parseRules } from '../../../buckets/service.ts';
import type { BucketContext, OperationDeps } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { writeXml, type XmlNode } from '../../xml/write.ts';
import { readXml } from '../read-text.ts';
import { type CorsRule, parseCors } from './rules.ts';

/** The characters of a document that a bucket keeps, as JSON. S3 accepts as much XML. */
const MAX_DOCUMENT_LENGTH = 64 * KIB;

/** Returns the rules that an S3 client has set for a bucket; null where none has. */
export async function findCorsRules(
  { buckets }: Pick<OperationDeps, 'buckets'>,
  bucket: Pick<Bucket, 'id'>,
): Promise<CorsRule[] | null> {
  const document = await buckets.s3.findDocument(bucket.id, 'cors');
  return document === undefined ? null : JSON.parse(document);
}

/**
 * Returns what scripts of other sites may do at the address of the S3 API: what a client has set, or else who may read by
 * the rules of the dashboard. Throws NoSuchCORSConfiguration where all may.
 */
export async function getBucketCors({ deps, bucket }: BucketContext): Promise<S3Response> {
  const rules = (await findCorsRules(deps, bucket)) ?? readingRules(bucket);
  if (rules.length === 0) {
    throw new S3Error(
      'NoSuchCORSConfiguration',
      'The bucket has no such configuration: scripts of every origin may send signed requests.',
    );
  }
  return xmlResponse(
    writeXml(
      'CORSConfiguration',
      rules.map((rule): XmlNode => ['CORSRule', ruleNodes(rule)]),
    ),
  );
}

function readingRules({ delivery_rules }: Bucket): CorsRule[] {
  const { cors_origins: origins } = parseRules(delivery_rules);
  const reading = { methods: ['GET', 'HEAD'], headers: ['*'], exposed: [] };
  return origins.length === 0 ? [] : [{ origins, ...reading }];
}

function ruleNodes({ id, origins, methods, headers, exposed, maxAge }: CorsRule): XmlNode[] {
  const nodes = (name: string, texts: string[]) => texts.map((text): XmlNode => [name, text]);
  return [
    ['ID', id],
    ...nodes('AllowedOrigin', origins),
    ...nodes('AllowedMethod', methods),
    ...nodes('AllowedHeader', headers),
    ...nodes('ExposeHeader', exposed),
    ['MaxAgeSeconds', maxAge],
  ];
}

/** Sets what scripts of other sites may do at the address of the S3 API. */
export async function putBucketCors(context: BucketContext): Promise<S3Response> {
  const { deps, bucket, caller } = context;
  const content = JSON.stringify(parseCors(await readXml(context)));
  if (content.length > MAX_DOCUMENT_LENGTH) {
    throw new S3Error('InvalidRequest', 'The rules are too long. Use fewer or shorter ones.');
  }
  const subject = { userId: bucket.user_id, id: bucket.id, actor: actorOf(caller.principal) };
  await deps.buckets.s3.setDocument(subject, { kind: 'cors', content });
  return emptyResponse(200);
}

/** Lets scripts of every origin send signed requests and read files, as in a new bucket. */
export async function deleteBucketCors(context: BucketContext): Promise<S3Response> {
  const { deps, bucket, caller } = context;
  const actor = actorOf(caller.principal);
  if ((await findCorsRules(deps, bucket)) !== null) {
    const subject = { userId: bucket.user_id, id: bucket.id, actor };
    await deps.buckets.s3.setDocument(subject, { kind: 'cors', content: null });
  }
  if (parseRules(bucket.delivery_rules).cors_origins.length > 0) {
    const rules = { cors_origins: [] };
    await deps.buckets.settings.setDeliveryRules(bucket.user_id, bucket.id, rules, actor);
  }
  return emptyResponse(204);
}
