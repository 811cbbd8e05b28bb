import { expect, test } from 'bun:test';
import {
  DeleteBucketPolicyCommand,
  DeletePublicAccessBlockCommand,
  GetBucketAccelerateConfigurationCommand,
  GetBucketLoggingCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyStatusCommand,
  GetBucketReplicationCommand,
  GetBucketRequestPaymentCommand,
  GetPublicAccessBlockCommand,
  PutBucketLoggingCommand,
} from '@aws-sdk/client-s3';
import { signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const Bucket = bucket.id;

test('configurations that no bucket has are not found, by their own codes', async () => {
  const ownership = s3.send(new GetBucketOwnershipControlsCommand({ Bucket }));
  expect(await refusalOf(ownership)).toEqual(['OwnershipControlsNotFoundError', 404]);
  const replication = s3.send(new GetBucketReplicationCommand({ Bucket }));
  expect(await refusalOf(replication)).toEqual(['ReplicationConfigurationNotFoundError', 404]);
  const block = s3.send(new GetPublicAccessBlockCommand({ Bucket }));
  expect(await refusalOf(block)).toEqual(['NoSuchPublicAccessBlockConfiguration', 404]);
});

test('configurations that are the same for all buckets say so', async () => {
  const logging = await s3.send(new GetBucketLoggingCommand({ Bucket }));
  expect(logging.LoggingEnabled).toBeUndefined();
  const accelerate = new GetBucketAccelerateConfigurationCommand({ Bucket });
  expect((await s3.send(accelerate)).Status).toBeUndefined();
  const notification = new GetBucketNotificationConfigurationCommand({ Bucket });
  expect((await s3.send(notification)).TopicConfigurations).toBeUndefined();
  const { Payer } = await s3.send(new GetBucketRequestPaymentCommand({ Bucket }));
  expect(Payer).toBe('BucketOwner');
  const { PolicyStatus } = await s3.send(new GetBucketPolicyStatusCommand({ Bucket }));
  expect(PolicyStatus).toEqual({ IsPublic: false });
});

test('to delete what no bucket has succeeds, and to set it is refused', async () => {
  await s3.send(new DeletePublicAccessBlockCommand({ Bucket }));
  await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
  const set = new PutBucketLoggingCommand({ Bucket, BucketLoggingStatus: {} });
  expect(await refusalOf(s3.send(set))).toEqual(['NotImplemented', 501]);
  const reader = s3Client(server, await createS3Key(user, { access: 'read' }));
  const remove = new DeleteBucketPolicyCommand({ Bucket });
  expect(await refusalOf(reader.send(remove))).toEqual(['AccessDenied', 403]);
  const stranger = s3Client(server, await createS3Key(await signUp(server)));
  expect(await refusalOf(stranger.send(remove))).toEqual(['NoSuchBucket', 404]);
  const ask = new GetBucketPolicyStatusCommand({ Bucket });
  expect(await refusalOf(stranger.send(ask))).toEqual(['NoSuchBucket', 404]);
});
