import { expect, test } from 'bun:test';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { KIB, MIB } from '../../../server/contract/limits.ts';
import { createS3Key, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const key = await createS3Key(user);
const send = signedFetch(server, key);
const Bucket = bucket.id;
await s3Client(server, key).send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'a' }));

const filler = (bytes: number) => `<!--${'x'.repeat(bytes)}-->`;
const TAGGING = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
const DELETE = '<Delete><Object><Key>a</Key></Object></Delete>';

async function answerTo(method: string, target: string, body: string) {
  const response = await send(method, target, { body });
  return [response.status, /<(?:Code|Message)>(.*?)</.exec(await response.text())?.[1]];
}

test.each(['?tagging', '?versioning', '?cors', '?lifecycle', '?acl', '?policy', '/a?tagging'])(
  'a document for %s is refused where it is longer than any can be',
  async (target) => {
    const long = `${filler(256 * KIB)}${TAGGING}`;
    expect(await answerTo('PUT', `/${Bucket}${target}`, long)).toEqual([400, 'MalformedXML']);
  },
);

test('a document within the bounds is obeyed, and a list of keys may be longer', async () => {
  expect(await answerTo('PUT', `/${Bucket}?tagging`, filler(200 * KIB) + TAGGING)).toEqual([
    ...[200, undefined],
  ]);
  const target = `/${Bucket}?delete`;
  expect(await answerTo('POST', target, filler(2 * MIB) + DELETE)).toEqual([400, 'MalformedXML']);
  expect((await answerTo('POST', target, filler(1.5 * MIB) + DELETE))[0]).toBe(200);
});
