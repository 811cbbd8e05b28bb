import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const lock = { Bucket: bucket.id, Key: 'terraform.tfstate.tflock' };
const APPLIES = ['one', 'other'];
const ROUNDS = 5;

/** Locks as Terraform and OpenTofu do with `use_lockfile`. */
const acquire = (Body: string) =>
  s3.send(
    new PutObjectCommand({
      ...{ ...lock, Body, ContentType: 'application/json', IfNoneMatch: '*' },
      ChecksumAlgorithm: 'SHA256',
      ChecksumSHA256: createHash('sha256').update(Body).digest('base64'),
    }),
  );
const holder = async () => (await s3.send(new GetObjectCommand(lock))).Body?.transformToString();

test('of two that create a lock at the same time one has it until it deletes it, and then the other can', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const attempts = await Promise.allSettled(APPLIES.map(acquire));
    const winners = APPLIES.filter((_, at) => attempts[at]?.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    const [winner = ''] = winners;
    const loser = APPLIES.find((one) => one !== winner) ?? '';
    const refused = attempts.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { name: 'PreconditionFailed' } });
    // Who has no lock reads whose it is, and changes nothing by trying again.
    expect(await holder()).toBe(winner);
    expect(await refusalOf(acquire(loser))).toEqual(['PreconditionFailed', 412]);
    expect(await holder()).toBe(winner);

    await s3.send(new DeleteObjectCommand(lock));
    expect(await refusalOf(s3.send(new HeadObjectCommand(lock)))).toEqual(['NotFound', 404]);
    await acquire(loser);
    expect(await holder()).toBe(loser);
    await s3.send(new DeleteObjectCommand(lock));
  }
});
