import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { S3Client } from '@aws-sdk/client-s3';
import { MINUTE, SECOND } from '../../../contract/limits.ts';
import type { S3Settings } from './settings.ts';

/** Some 20 seconds with the library's growing waits: an S3 server that is restarted is back by then. */
const WRITE_ATTEMPTS = 10;
/** Somebody waits for what is read, and may ask again. */
const READ_ATTEMPTS = 3;
/** One for every client that is being sent something; the library's own 50 would make others wait. */
const MOST_SOCKETS = 1000;

/** A bucket, with our prefix in it, and the ways to speak to it. */
export type S3Bucket = {
  name: string;
  root: string;
  reading: S3Client;
  writing: S3Client;
};

/** Connects to nothing yet. */
export function s3Bucket(settings: S3Settings): S3Bucket {
  return {
    name: settings.bucket,
    root: settings.root,
    reading: clientOf(settings, READ_ATTEMPTS),
    writing: clientOf(settings, WRITE_ATTEMPTS),
  };
}

function clientOf(settings: S3Settings, maxAttempts: number): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken } = settings;
  const sockets = { keepAlive: true, maxSockets: MOST_SOCKETS };
  return new S3Client({
    region,
    ...(endpoint && { endpoint }),
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
    forcePathStyle: true,
    // Newer checksums are unknown to many servers; what is sent is signed with its SHA-256 anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts,
    requestHandler: {
      httpAgent: new HttpAgent(sockets),
      httpsAgent: new HttpsAgent(sockets),
      connectionTimeout: 3 * SECOND,
      // Up to the first byte of the answer: a part must have been sent by then.
      requestTimeout: MINUTE,
      throwOnRequestTimeout: true,
      socketTimeout: 30 * SECOND,
    },
  });
}
