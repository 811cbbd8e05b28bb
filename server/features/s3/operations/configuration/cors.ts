import { MAX_CORS_ORIGINS } from '../../../../contract/delivery-limits.ts';
import { actorOf } from '../../../access/principal.ts';
import { parseRules } from '../../../buckets/service.ts';
import type { BucketContext } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { childrenOf, leafText, parseXml, type XmlElement } from '../../xml/parse.ts';
import { requireElements, requireRoot } from '../../xml/strict.ts';
import { writeXml, type XmlNode } from '../../xml/write.ts';
import { readText } from '../read-text.ts';

/** As in S3. */
const MAX_RULES = 100;

/** What every bucket lets scripts do that may read its files. */
const READ_METHODS = ['GET', 'HEAD'];
const METHODS = [...READ_METHODS, 'PUT', 'POST', 'DELETE'];

const REFUSED = {
  ExposeHeader:
    'Leave out ExposeHeader: which headers scripts may read is the same for all buckets.',
  MaxAgeSeconds: 'Leave out MaxAgeSeconds: browsers may remember the answer for a day.',
};

/** Returns the origins whose scripts may read a bucket's files. Throws where all may, as in a new bucket. */
export async function getBucketCors({ bucket }: BucketContext): Promise<S3Response> {
  const { cors_origins } = parseRules(bucket.delivery_rules);
  if (cors_origins.length === 0) {
    throw new S3Error(
      'NoSuchCORSConfiguration',
      'The bucket has no such configuration: scripts of every origin may read its files.',
    );
  }
  const rule: XmlNode[] = [
    ...cors_origins.map((origin): XmlNode => ['AllowedOrigin', origin]),
    ...READ_METHODS.map((method): XmlNode => ['AllowedMethod', method]),
    ['AllowedHeader', '*'],
  ];
  return xmlResponse(writeXml('CORSConfiguration', [['CORSRule', rule]]));
}

/** Sets the origins whose scripts may read a bucket's files; `*` for all, as without a configuration. */
export async function putBucketCors(context: BucketContext): Promise<S3Response> {
  await setOrigins(context, parseOrigins(await readText(context)));
  return emptyResponse(200);
}

/** Lets scripts of every origin read a bucket's files, as in a new bucket. */
export async function deleteBucketCors(context: BucketContext): Promise<S3Response> {
  await setOrigins(context, []);
  return emptyResponse(204);
}

async function setOrigins({ deps, bucket, caller }: BucketContext, origins: string[]) {
  if (origins.length + parseRules(bucket.delivery_rules).cors_origins.length === 0) return;
  const rules = { cors_origins: origins };
  await deps.buckets.setDeliveryRules(bucket.user_id, bucket.id, rules, actorOf(caller.principal));
}

function parseOrigins(body: string): string[] {
  const root = parseXml(body);
  requireRoot(root, 'CORSConfiguration');
  requireElements(root, ['CORSRule']);
  const rules = root.children;
  if (rules.length === 0 || rules.length > MAX_RULES) {
    throw new S3Error('MalformedXML', `Send 1 to ${MAX_RULES} elements CORSRule.`);
  }
  const origins = new Set(rules.flatMap(originsOf));
  if (origins.has('*')) return [];
  if (origins.size <= MAX_CORS_ORIGINS) return [...origins];
  throw new S3Error('InvalidRequest', `A bucket can have up to ${MAX_CORS_ORIGINS} origins.`);
}

/** Returns the origins of a rule which says that they may do what all buckets let scripts do. */
function originsOf(rule: XmlElement): string[] {
  requireElements(rule, ['ID', 'AllowedOrigin', 'AllowedMethod', 'AllowedHeader'], REFUSED);
  const textsOf = (name: string) => childrenOf(rule, name).map(leafText);
  textsOf('ID');
  const origins = textsOf('AllowedOrigin');
  const methods = textsOf('AllowedMethod');
  const unknown = methods.find((method) => !METHODS.includes(method));
  if (unknown !== undefined) {
    throw new S3Error('InvalidRequest', `AllowedMethod can be ${METHODS.join(', ')}.`, {
      AllowedMethod: unknown,
    });
  }
  if (origins.length === 0 || methods.length === 0) {
    throw new S3Error('MalformedXML', 'A CORSRule needs an AllowedOrigin and an AllowedMethod.');
  }
  if (!methods.includes('GET') || methods.some((method) => !READ_METHODS.includes(method))) {
    throw new S3Error(
      'NotImplemented',
      'A CORSRule must allow GET, and can allow HEAD. Signed requests of all origins may write, so leave the other methods out.',
    );
  }
  if (textsOf('AllowedHeader').some((header) => header !== '*')) {
    throw new S3Error('NotImplemented', 'AllowedHeader can only be *, as all headers are allowed.');
  }
  return origins;
}
