import { actorOf } from '../../access/principal.ts';
import type { BucketContext, ObjectContext } from '../context.ts';
import { emptyResponse, xmlResponse } from '../context.ts';
import { S3Error, type S3ErrorCode } from '../errors.ts';
import { noSuchKey } from '../refusals.ts';
import type { S3Response } from '../request.ts';
import { writeXml, type XmlNode } from '../xml/write.ts';
import { ownerNode } from './list-buckets.ts';
import { parseAcl } from './object-headers.ts';

/**
 * Returns an operation that says that a bucket has no such configuration, which clients ask for when they start, and
 * take for an answer.
 */
export const withoutConfiguration = (code: S3ErrorCode) => async (): Promise<S3Response> => {
  throw new S3Error(code, 'The bucket has no such configuration.');
};

/** A bucket belongs to its account alone. */
export async function getBucketAcl({ bucket }: BucketContext): Promise<S3Response> {
  return aclResponse(bucket.user_id, false);
}

export async function getObjectAcl({ deps, bucket, key }: ObjectContext): Promise<S3Response> {
  const row = await deps.files.objectAt(bucket.id, key);
  if (!row) throw noSuchKey(key);
  return aclResponse(bucket.user_id, row.access === 'public');
}

/** The namespace of the types of grantees. */
const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';
const ALL_USERS = 'http://acs.amazonaws.com/groups/global/AllUsers';

/** Makes an object public or private. Only the ACLs that a header names are taken. */
export async function putObjectAcl(context: ObjectContext): Promise<S3Response> {
  const { deps, request, bucket, key, caller } = context;
  if (!request.headers.has('x-amz-acl')) {
    throw new S3Error('NotImplemented', 'Send the header x-amz-acl: private or public-read.');
  }
  const access = parseAcl(request.headers.get('x-amz-acl'));
  const row = await deps.files.objectAt(bucket.id, key);
  if (!row) throw noSuchKey(key);
  const change = {
    fields: { access },
    onConflict: 'error',
    actor: actorOf(caller.principal),
  } as const;
  if (row.file_type !== 'folder') await deps.files.updates.updateFile(bucket, row.id, change);
  return emptyResponse(200);
}

const grantee = (type: string) => `Grantee xmlns:xsi="${INSTANCE}" xsi:type="${type}"`;

function aclResponse(userId: string, isPublic: boolean): S3Response {
  const owner: XmlNode = [grantee('CanonicalUser'), ownerNode(userId)[1]];
  const everybody: XmlNode = [grantee('Group'), [['URI', ALL_USERS]]];
  const grant = (to: XmlNode, permission: string): XmlNode => [
    'Grant',
    [to, ['Permission', permission]],
  ];
  const grants = [grant(owner, 'FULL_CONTROL'), ...(isPublic ? [grant(everybody, 'READ')] : [])];
  return xmlResponse(
    writeXml('AccessControlPolicy', [ownerNode(userId), ['AccessControlList', grants]]),
  );
}
