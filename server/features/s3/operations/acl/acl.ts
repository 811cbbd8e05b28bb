import type { Access } from '../../../../contract/wire.ts';
import { actorOf } from '../../../access/principal.ts';
import { parseS3Access } from '../../../buckets/service.ts';
import type { BucketContext, ObjectContext } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { parseLongXml } from '../../xml/parse.ts';
import { writeXml, type XmlNode } from '../../xml/write.ts';
import { ownerNode } from '../list-buckets.ts';
import { readText } from '../read-text.ts';
import { findObject, requestedVersion } from '../versions/find-version.ts';
import { ALL_USERS, parseAclDocument } from './document.ts';
import { parseAcl, requireSettableAcl } from './requested-acl.ts';

/** The owner of a bucket has all rights. Everybody can have the one to list it. */
export async function getBucketAcl({ bucket }: BucketContext): Promise<S3Response> {
  return aclResponse(bucket.user_id, bucket.lists_public === 1);
}

export async function getObjectAcl({
  deps,
  query,
  bucket,
  key,
}: ObjectContext): Promise<S3Response> {
  const row = await findObject(deps, { bucket, key, versionId: requestedVersion(query) });
  const hasAcls = parseS3Access(bucket).ownership !== 'BucketOwnerEnforced';
  return aclResponse(bucket.user_id, hasAcls && row.access === 'public');
}

/** The namespace of the types of grantees. */
const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';

/** Makes an object public or private. */
export async function putObjectAcl(context: ObjectContext): Promise<S3Response> {
  const { deps, query, bucket, key, caller } = context;
  const access = await parseSentAcl(context);
  const row = await findObject(deps, { bucket, key, versionId: requestedVersion(query) });
  const actor = actorOf(caller.principal);
  if (row.superseded_at !== null) {
    // Nobody reads it without a key. It is what the file has once it is restored.
    await deps.files.versions.change(bucket, row, { access }, actor);
    return emptyResponse(200);
  }
  const change = {
    fields: { access },
    onConflict: 'error',
    actor,
  } as const;
  if (row.file_type !== 'folder') await deps.files.updates.updateFile(bucket, row.id, change);
  return emptyResponse(200);
}

/** Lets everybody list a bucket, or nobody but its account. What is in it is as public as it was. */
export async function putBucketAcl(context: BucketContext): Promise<S3Response> {
  const isListed = (await parseSentAcl(context)) === 'public';
  const { deps, bucket, caller } = context;
  if (isListed === (bucket.lists_public === 1)) return emptyResponse(200);
  const subject = { userId: bucket.user_id, id: bucket.id, actor: actorOf(caller.principal) };
  await deps.buckets.s3.changeAccess(subject, (before) => ({ ...before, isListed }));
  return emptyResponse(200);
}

/** Returns the ACL that a header names, or the document in the body. Throws where the bucket doesn't accept it. */
async function parseSentAcl(context: BucketContext): Promise<Access> {
  const access = await readAcl(context);
  requireSettableAcl(context.bucket, access);
  return access;
}

async function readAcl(context: BucketContext): Promise<Access> {
  const { headers } = context.request;
  if ([...headers.keys()].some((name) => name.startsWith('x-amz-grant-'))) {
    throw new S3Error('NotImplemented', 'Send x-amz-acl: private or public-read, without grants.');
  }
  const body = await readText(context);
  if (headers.has('x-amz-acl')) return parseAcl(headers.get('x-amz-acl'));
  if (body === '') {
    throw new S3Error('MissingRequestBodyError', 'Send the header x-amz-acl, or a document.');
  }
  return parseAclDocument(await parseLongXml(body), context.bucket.user_id);
}

const grantee = (type: string) => `Grantee xmlns:xsi="${INSTANCE}" xsi:type="${type}"`;

function aclResponse(userId: string, isPublic: boolean): S3Response {
  const owner: XmlNode = [grantee('CanonicalUser'), ownerNode(userId)[1]];
  const everybody: XmlNode = [grantee('Group'), [['URI', ALL_USERS]]];
  const grant = (to: XmlNode, permission: string): XmlNode => [
    'Grant',
    [to, ['Permission', permission]],
  ];
  const grants = [...(isPublic ? [grant(everybody, 'READ')] : []), grant(owner, 'FULL_CONTROL')];
  return xmlResponse(
    writeXml('AccessControlPolicy', [ownerNode(userId), ['AccessControlList', grants]]),
  );
}
