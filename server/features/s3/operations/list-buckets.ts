import { can } from '../../access/can.ts';
import type { ServiceContext } from '../context.ts';
import { xmlResponse } from '../context.ts';
import { toRefusal } from '../refusals.ts';
import type { S3Response } from '../request.ts';
import { writeXml, type XmlNode } from '../xml/write.ts';
import { parseCount } from './parameters.ts';

const MAX_BUCKETS = 10_000;

/** Lists the buckets that the access key opens. */
export async function listBuckets({ deps, caller, query }: ServiceContext): Promise<S3Response> {
  const { userId, bucketIds } = caller.principal;
  const refusal = can(caller.principal, 'list-buckets', { userId });
  if (refusal) throw toRefusal(refusal);
  const limit = Math.max(1, parseCount(query, 'max-buckets', MAX_BUCKETS));
  const after = query.get('continuation-token') ?? '';
  const found = await deps.buckets.listForS3(userId, { after, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const opened = rows.filter(({ id }) => bucketIds === null || bucketIds.includes(id));
  const next = found.length > limit ? rows.at(-1)?.id : undefined;
  return xmlResponse(
    writeXml('ListAllMyBucketsResult', [
      ownerNode(userId),
      [
        'Buckets',
        opened.map(
          ({ id, s3_name, created_at }): XmlNode => [
            'Bucket',
            [
              ['Name', s3_name ?? id],
              ['CreationDate', new Date(created_at).toISOString()],
            ],
          ],
        ),
      ],
      ['ContinuationToken', next],
    ]),
  );
}

/** Returns the account to which everything belongs that its keys show. */
export const ownerNode = (userId: string): XmlNode => [
  'Owner',
  [
    ['ID', userId],
    ['DisplayName', userId],
  ],
];
