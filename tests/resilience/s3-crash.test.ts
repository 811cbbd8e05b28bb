import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { seeded } from '../../media/testing/mutations.ts';
import type { CreatedS3KeyWire } from '../../server/contract/wire.ts';
import { createBucket, form, signUp } from '../support/client/api.ts';
import { presignPost } from '../support/client/presigned-post.ts';
import { createS3Key, s3Client } from '../support/client/s3.ts';
import { rounds } from '../support/fixtures/torture.ts';
import { fsck } from '../support/server/command.ts';
import { freePort } from '../support/server/free-port.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';
import { LostAnswerError } from './s3-operations/known-objects.ts';
import { OPERATIONS } from './s3-operations/operations.ts';
import type { Writer } from './s3-operations/writer.ts';

/*
 * kill -9 in the middle of each operation of S3: what was acknowledged is there, what was not is there as a whole or
 * not at all, nobody ever reads a part of an object, and what is counted is what is there.
 */

const KILLS_PER_OPERATION = rounds(12, 1);
const WRITERS = 4;
const WRITES_PER_KILL = 6;
/** After so many writes, so that a kill hits any step of the next ones. */
const MAX_DELAY_MS = 30;
const random = seeded(49);

let server: ServerProcess;
let url: string;
let plain: string;
let versioned: string;
let key: CreatedS3KeyWire;
let client: S3Client;

const connect = () => {
  client?.destroy();
  client = s3Client({ config: { s3: { url } } }, key);
};
afterAll(async () => {
  client?.destroy();
  await server?.stop();
});
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  server = await startServerProcess({ isQuick: true, env: { S3_PORT: String(port) } });
  const user = await signUp(server);
  plain = (await createBucket(server, user.token)).id;
  versioned = (await createBucket(server, user.token)).id;
  key = await createS3Key(user);
  connect();
  const VersioningConfiguration = { Status: 'Enabled' } as const;
  const input = { Bucket: versioned, VersioningConfiguration };
  await client.send(new PutBucketVersioningCommand(input));
});

/** Sends a form as browsers do. Throws what it is refused with, as AWS's client does. */
async function sendForm(bucket: string, name: string, file: Buffer): Promise<void> {
  const fields = presignPost({ key: name }, { key, bucket });
  const body = form(fields, new Blob([file as never]), 'file');
  const response = await fetch(`${url}/${bucket}`, { method: 'POST', body });
  if (response.status === 204) return;
  const $metadata = { httpStatusCode: response.status };
  throw Object.assign(new Error(await response.text()), { $metadata });
}

/** Does something again and again until the server ends. */
async function untilLost(work: () => Promise<void>): Promise<void> {
  try {
    for (;;) await work();
  } catch (error) {
    if (!(error instanceof LostAnswerError)) throw error;
  }
}

/** Has all write and read at the same time, and kills the server after some writes. */
async function killDuring(writers: Writer[]): Promise<void> {
  const { promise: isWritten, resolve } = Promise.withResolvers<void>();
  let left = WRITES_PER_KILL;
  const working = writers.flatMap((writer) => [
    untilLost(async () => {
      await writer.write();
      left -= 1;
      if (left === 0) resolve();
    }),
    untilLost(async () => {
      for (const one of [...writer.keys, ...(writer.more ?? [])]) await one.look();
    }),
  ]);
  const all = Promise.all(working);
  await Promise.race([isWritten, all]);
  // Otherwise all of them failed without a server that ended, and nothing would be tested.
  expect(left).toBeLessThanOrEqual(0);
  await Bun.sleep(random() * MAX_DELAY_MS);
  process.kill(server.pid(), 'SIGKILL');
  await all;
  await server.restart('SIGKILL');
  connect();
}

async function listedKeys(bucket: string): Promise<(string | undefined)[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  return Contents.map((object) => object.Key).sort();
}

test.each(OPERATIONS)('a kill during $name leaves every object whole', async (operation) => {
  const bucket = operation.hasVersions ? versioned : plain;
  const writers = Array.from({ length: WRITERS }, (_, n) =>
    operation.create({
      ...{ client: () => client, bucket, prefix: `${operation.name}/${n}` },
      sendForm: (name, file) => sendForm(bucket, name, file),
    }),
  );
  const others = await listedKeys(bucket);
  for (let kill = 0; kill < KILLS_PER_OPERATION; kill += 1) {
    await killDuring(writers);
    for (const writer of writers) await writer.check();
    const there: string[] = [];
    for (const one of writers.flatMap(({ keys }) => keys))
      if ((await one.check()) !== null) there.push(one.key);
    expect(await listedKeys(bucket)).toEqual([...others, ...there].sort());
    expect(await fsck(server.dataDir)).toMatchObject({ findings: [], status: 0 });
  }
});
