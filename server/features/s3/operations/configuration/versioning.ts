import { actorOf } from '../../../access/principal.ts';
import { versioningOf } from '../../../buckets/service.ts';
import type { BucketContext } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { textOf, type XmlElement } from '../../xml/parse.ts';
import { requireElements, requireRoot } from '../../xml/strict.ts';
import { writeXml } from '../../xml/write.ts';
import { readXml } from '../read-text.ts';

/** What a bucket keeps once a client has turned versions on, of what it did not keep before. */
const DEFAULTS = { keep_versions: 10, keep_deleted_days: 30 };

/** Says whether replaced and deleted objects are kept. */
export async function getBucketVersioning({ bucket }: BucketContext): Promise<S3Response> {
  const status = versioningOf(bucket) ?? undefined;
  return xmlResponse(writeXml('VersioningConfiguration', [['Status', status]]));
}

/**
 * Turns on that replaced and deleted objects are kept, or off that replaced ones are. What is kept stays, and so does a number
 * that was set before.
 */
export async function putBucketVersioning(context: BucketContext): Promise<S3Response> {
  const { deps, bucket, caller } = context;
  const wanted = parseStatus(await readXml(context));
  const { keep_versions, keep_deleted_days } = bucket;
  const change =
    wanted === 'Suspended'
      ? { keep_versions: 0, isSuspended: true }
      : {
          keep_versions: keep_versions || DEFAULTS.keep_versions,
          keep_deleted_days: keep_deleted_days || DEFAULTS.keep_deleted_days,
        };
  const isKept = versioningOf(bucket) === wanted && (wanted === 'Suspended' || keep_deleted_days);
  if (!isKept) {
    await deps.buckets.settings.setRetention(
      bucket.user_id,
      bucket.id,
      change,
      actorOf(caller.principal),
    );
  }
  return emptyResponse(200);
}

function parseStatus(root: XmlElement): 'Enabled' | 'Suspended' {
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
