import type { Access } from '../../../../contract/wire.ts';
import { S3Error } from '../../errors.ts';
import { childrenOf, onlyElement, textOf, type XmlElement } from '../../xml/parse.ts';
import { requireRoot } from '../../xml/strict.ts';

export const ALL_USERS = 'http://acs.amazonaws.com/groups/global/AllUsers';

/**
 * Returns whether an object is public by the document of its ACL: the owner has all rights in both cases. Throws
 * MalformedXML, and NotImplemented for grants that are neither `private` nor `public-read`.
 * @param ownerId the account of the bucket
 */
export function parseAclDocument(root: XmlElement, ownerId: string): Access {
  requireRoot(root, 'AccessControlPolicy');
  const owner = onlyElement(root, 'Owner');
  if (owner && textOf(owner, 'ID') !== ownerId) {
    throw new S3Error('AccessDenied', 'An object belongs to the account of its bucket.');
  }
  const list = onlyElement(root, 'AccessControlList');
  if (!list) throw new S3Error('MalformedXML', 'An AccessControlPolicy needs a list.');
  const grants = new Set(childrenOf(list, 'Grant').map((grant) => grantOf(grant, ownerId)));
  if (!grants.delete('owner FULL_CONTROL')) throw notSupported();
  const isPublic = grants.delete('everybody READ');
  if (grants.size > 0) throw notSupported();
  return isPublic ? 'public' : 'private';
}

function grantOf(grant: XmlElement, ownerId: string): string {
  const grantee = onlyElement(grant, 'Grantee');
  const permission = textOf(grant, 'Permission');
  if (!grantee || permission === undefined) {
    throw new S3Error('MalformedXML', 'A Grant needs a Grantee and a Permission.');
  }
  if (textOf(grantee, 'ID') === ownerId) return `owner ${permission}`;
  return textOf(grantee, 'URI') === ALL_USERS ? `everybody ${permission}` : 'somebody';
}

const notSupported = () =>
  new S3Error(
    'NotImplemented',
    'An ACL can give the owner FULL_CONTROL, and everybody READ: private or public-read.',
  );
