import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { findS3TestPython } from '../../scripts/setup/test-programs.mjs';
import { GIB, MIB } from '../../server/contract/limits.ts';
import { s3Client } from '../support/client/s3.ts';
import { rounds } from '../support/fixtures/torture.ts';
import { runCommand } from '../support/server/command.ts';
import { startWharf, type Wharf } from './targets.ts';

/*
 * Clients upload a file in parts at a time and download it in ranges, and the server holds neither in memory.
 */

const BYTES = rounds(GIB, 64 * MIB);
/** Of the server, above what it takes without requests. */
const MAX_ADDED_MEMORY_MIB = 150;
const BUCKET = 'large-objects';

const BOTO3 = `
import sys, boto3
endpoint, source, bucket, key, back = sys.argv[1:]
s3 = boto3.client("s3", endpoint_url=endpoint)
s3.upload_file(source, bucket, key)
s3.download_file(bucket, key, back)
`;
const python = findS3TestPython();
const aws = Bun.which('aws');

let target: Wharf;
let s3: S3Client;
let folder: string;
let source: string;
let sourceHash: string;

beforeAll(async () => {
  target = await startWharf({ maxFileBytes: 2 * GIB });
  folder = await mkdtemp(join(tmpdir(), 'wharf-large-'));
  source = join(folder, 'source');
  sourceHash = await writeRandom(source, BYTES);
  const { accessKeyId, secretAccessKey } = target.accounts.main;
  const key = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
  s3 = s3Client({ config: { s3: target } }, key);
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
});
afterAll(async () => {
  s3?.destroy();
  await target?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Writes random bytes to a file, and returns their hash. */
async function writeRandom(path: string, bytes: number): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  const writer = Bun.file(path).writer();
  for (let left = bytes; left > 0; left -= MIB) {
    const block = randomBytes(Math.min(left, MIB));
    hasher.update(block);
    writer.write(block);
    await writer.flush();
  }
  await writer.end();
  return hasher.digest('hex');
}

async function hashOf(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const block of Bun.file(path).stream()) hasher.update(block);
  return hasher.digest('hex');
}

/** Runs a client. Throws what it says where it fails. */
async function run(program: string, ...args: string[]): Promise<void> {
  const { accessKeyId, secretAccessKey } = target.accounts.main;
  const env = {
    HOME: folder,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_DEFAULT_REGION: target.region,
  };
  const { status, stdout, stderr } = await runCommand(args, env, { program: [program] });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}${stdout}`);
}

/** Checks what a client has uploaded to `key` and downloaded to `back`. */
async function check(key: string, back: string): Promise<void> {
  expect(await hashOf(back)).toBe(sourceHash);
  await rm(back);
  const head = await s3.send(new HeadObjectCommand({ Bucket: BUCKET, Key: key }));
  expect(head.ContentLength).toBe(BYTES);
  // It was uploaded in parts of 8 MiB, as both clients do.
  expect(head.ETag).toEndWith(`-${BYTES / (8 * MIB)}"`);
  const added = await target.peakAboveIdle();
  console.log(`${BYTES / MIB} MiB by ${key}: up to ${added.toFixed(0)} MiB above idle`);
  expect(added).toBeLessThan(MAX_ADDED_MEMORY_MIB);
}

describe(`a file of ${BYTES / MIB} MiB comes back as it was, with little memory of the server,`, () => {
  test.skipIf(aws === null)('by aws', async () => {
    const back = join(folder, 'aws');
    const copy = ['--endpoint-url', target.url, 's3', 'cp', '--only-show-errors'];
    await run(aws ?? '', ...copy, source, `s3://${BUCKET}/aws`);
    await run(aws ?? '', ...copy, `s3://${BUCKET}/aws`, back);
    await check('aws', back);
  });

  test.skipIf(python === null)('by boto3', async () => {
    const back = join(folder, 'boto3');
    await run(python ?? '', '-c', BOTO3, target.url, source, BUCKET, 'boto3', back);
    await check('boto3', back);
  });
});
