import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error, type S3ErrorCode } from '../../errors.ts';
import type { S3Response } from '../../request.ts';
import { writeXml, type XmlNode } from '../../xml/write.ts';

/*
 * Configurations that no bucket has, or that are the same for all buckets. Clients such as Terraform ask for all of
 * them, and stop where one is not implemented.
 */

/** What is told of configurations that no bucket has, by their sub-resources. */
const ABSENT: Record<string, S3ErrorCode> = {
  encryption: 'ServerSideEncryptionConfigurationNotFoundError',
  'object-lock': 'ObjectLockConfigurationNotFoundError',
  replication: 'ReplicationConfigurationNotFoundError',
  website: 'NoSuchWebsiteConfiguration',
};

/** What no bucket has can be deleted, as in S3. There is no call to delete the others. */
const DELETABLE = ['encryption', 'replication', 'website'];

const SAME: Record<string, [root: string, content: XmlNode[]]> = {
  accelerate: ['AccelerateConfiguration', []],
  logging: ['BucketLoggingStatus', []],
  notification: ['NotificationConfiguration', []],
  requestPayment: ['RequestPaymentConfiguration', [['Payer', 'BucketOwner']]],
};

const notFound = (code: S3ErrorCode) => async (): Promise<S3Response> => {
  throw new S3Error(code, 'The bucket has no such configuration.');
};

type FixedOperation = {
  action: 'read-files' | 'configure-bucket';
  run: () => Promise<S3Response>;
};

const reading = (run: FixedOperation['run']): FixedOperation => ({ action: 'read-files', run });

/** The operations of these configurations, by their method and sub-resource. */
export const FIXED_OPERATIONS: Record<string, FixedOperation> = Object.fromEntries<FixedOperation>([
  ...Object.entries(ABSENT).map(
    ([name, code]) => [`GET ?${name}`, reading(notFound(code))] as const,
  ),
  ...Object.entries(SAME).map(
    ([name, [root, content]]) =>
      [`GET ?${name}`, reading(async () => xmlResponse(writeXml(root, content)))] as const,
  ),
  ...DELETABLE.map(
    (name) =>
      [
        `DELETE ?${name}`,
        { action: 'configure-bucket', run: async () => emptyResponse(204) },
      ] as const,
  ),
]);
