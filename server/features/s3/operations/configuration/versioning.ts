import { actorOf } from '../../../access/principal.ts';
import type { BucketContext } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { parseXml, textOf } from '../../xml/parse.ts';
import { requireElements, requireRoot } from '../../xml/strict.ts';
import { writeXml } from '../../xml/write.ts';
import { readText } from '../read-text.ts';

/** How many earlier versions a bucket keeps of a file once a client has turned them on without a number. */
const DEFAULT_VERSIONS = 10;

/** Says whether replaced objects are kept. A bucket that keeps none looks like one that never did. */
export async function getBucketVersioning({ bucket }: BucketContext): Promise<S3Response> {
  const status = bucket.keep_versions > 0 ? 'Enabled' : undefined;
  return xmlResponse(writeXml('VersioningConfiguration', [['Status', status]]));
}

/** Turns on or off that replaced objects are kept. What is kept stays, and so does a number that was set before. */
export async function putBucketVersioning(context: BucketContext): Promise<S3Response> {
  const { deps, bucket, caller } = context;
  const isEnabled = parseStatus(await readText(context)) === 'Enabled';
  if (isEnabled !== bucket.keep_versions > 0) {
    const keep_versions = isEnabled ? DEFAULT_VERSIONS : 0;
    const actor = actorOf(caller.principal);
    await deps.buckets.setRetention(bucket.user_id, bucket.id, { keep_versions }, actor);
  }
  return emptyResponse(200);
}

function parseStatus(body: string): string {
  const root = parseXml(body);
  requireRoot(root, 'VersioningConfiguration');
  requireElements(root, ['Status', 'MfaDelete']);
  const mfaDelete = textOf(root, 'MfaDelete') ?? 'Disabled';
  if (mfaDelete !== 'Disabled') {
    throw new S3Error('NotImplemented', 'MfaDelete is not supported by this server.');
  }
  const status = textOf(root, 'Status');
  if (status === 'Enabled' || status === 'Suspended') return status;
  throw new S3Error('MalformedXML', 'Status must be Enabled or Suspended.');
}
