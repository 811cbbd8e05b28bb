import { actorOf } from '../../../access/principal.ts';
import {
  OBJECT_OWNERSHIPS,
  type ObjectOwnership,
  PUBLIC_ACCESS_FLAGS,
  type PublicAccessBlock,
  parseS3Access,
  type S3Access,
} from '../../../buckets/service.ts';
import type { BucketContext } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { onlyElement, textOf, type XmlElement } from '../../xml/parse.ts';
import { requireElements, requireRoot } from '../../xml/strict.ts';
import { writeXml, type XmlNode } from '../../xml/write.ts';
import { readXml } from '../read-text.ts';

/** Returns which public access is blocked. Throws NoSuchPublicAccessBlockConfiguration where nothing is set. */
export async function getPublicAccessBlock({ bucket }: BucketContext): Promise<S3Response> {
  const { block } = parseS3Access(bucket);
  if (!block) {
    throw new S3Error(
      'NoSuchPublicAccessBlockConfiguration',
      'The bucket has no such configuration.',
    );
  }
  const nodes = PUBLIC_ACCESS_FLAGS.map((name): XmlNode => [name, block[name]]);
  return xmlResponse(writeXml('PublicAccessBlockConfiguration', nodes));
}

/** Blocks public access, by ACLs and by a policy. */
export async function putPublicAccessBlock(context: BucketContext): Promise<S3Response> {
  const block = parseBlock(await readXml(context));
  await changeAccess(context, (before) => ({ ...before, block }));
  return emptyResponse(200);
}

export async function deletePublicAccessBlock(context: BucketContext): Promise<S3Response> {
  await changeAccess(context, (before) => ({ ...before, block: null }));
  return emptyResponse(204);
}

function parseBlock(root: XmlElement): PublicAccessBlock {
  requireRoot(root, 'PublicAccessBlockConfiguration');
  requireElements(root, PUBLIC_ACCESS_FLAGS);
  const flags = PUBLIC_ACCESS_FLAGS.map((name) => {
    const text = (textOf(root, name) ?? 'false').trim().toLowerCase();
    if (text === 'true' || text === 'false') return [name, text === 'true'] as const;
    throw new S3Error('MalformedXML', `${name} must be true or false.`);
  });
  return Object.fromEntries(flags) as PublicAccessBlock;
}

/** Returns who owns objects. Throws OwnershipControlsNotFoundError where nothing is set. */
export async function getOwnershipControls({ bucket }: BucketContext): Promise<S3Response> {
  const { ownership } = parseS3Access(bucket);
  if (!ownership) {
    throw new S3Error('OwnershipControlsNotFoundError', 'The bucket has no such configuration.');
  }
  const rule: XmlNode = ['Rule', [['ObjectOwnership', ownership]]];
  return xmlResponse(writeXml('OwnershipControls', [rule]));
}

/**
 * Sets who owns objects, which is the account of the bucket in any case. `BucketOwnerEnforced` ends all ACLs: no object is
 * public any more, and none becomes public.
 */
export async function putOwnershipControls(context: BucketContext): Promise<S3Response> {
  const root = await readXml(context);
  requireRoot(root, 'OwnershipControls');
  requireElements(root, ['Rule']);
  const rule = onlyElement(root, 'Rule');
  if (!rule) throw new S3Error('MalformedXML', 'OwnershipControls needs a Rule.');
  requireElements(rule, ['ObjectOwnership']);
  const ownership = parseOwnership(textOf(rule, 'ObjectOwnership')?.trim() ?? '');
  await changeAccess(context, (before) => withOwnership(before, ownership));
  return emptyResponse(200);
}

export async function deleteOwnershipControls(context: BucketContext): Promise<S3Response> {
  await changeAccess(context, (before) => ({ ...before, ownership: null }));
  return emptyResponse(204);
}

/** Returns who owns objects. Throws MalformedXML. */
export function parseOwnership(text: string): ObjectOwnership {
  const ownership = OBJECT_OWNERSHIPS.find((one) => one === text);
  if (ownership) return ownership;
  throw new S3Error(
    'MalformedXML',
    `ObjectOwnership must be ${OBJECT_OWNERSHIPS.slice(0, -1).join(', ')} or ${OBJECT_OWNERSHIPS.at(-1)}.`,
  );
}

/** Returns what a bucket has with another owner. Throws where its list is public, which an enforced owner doesn't allow. */
export function withOwnership(before: S3Access, ownership: ObjectOwnership): S3Access {
  if (ownership === 'BucketOwnerEnforced' && before.isListed) {
    throw new S3Error(
      'InvalidBucketAclWithObjectOwnership',
      'The bucket is public-read. Make it private first.',
    );
  }
  return { ...before, ownership };
}

async function changeAccess(
  { deps, bucket, caller }: BucketContext,
  change: (before: S3Access) => S3Access,
): Promise<void> {
  const subject = { userId: bucket.user_id, id: bucket.id, actor: actorOf(caller.principal) };
  await deps.buckets.s3.changeAccess(subject, change);
}
