import { afterAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { FilePageWire } from '../../server/contract/wire.ts';
import { createBucket, signUp } from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { fsck } from '../support/server/command.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';
import { startFileSource } from '../support/services/file-source.ts';

let wharf: ServerProcess | undefined;
const source = await startFileSource();
afterAll(async () => {
  await wharf?.stop();
  source.stop();
});

test('a file whose fetch was killed is fetched again, and nothing of the first fetch stays', async () => {
  const server = await startServerProcess({
    isQuick: true,
    env: { WEBHOOK_ALLOW_PRIVATE: 'yes' },
  });
  wharf = server;
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const bytes = randomBytes(400_000);
  source.serve('/old/', '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
  const held: ServerResponse[] = [];
  source.serve('/old/photo.bin', (response) => {
    response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 300_000));
    held.push(response);
  });
  const set = await fetch(`${server.url}/buckets/source/${bucket.id}`, {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ endpoint: source.url, bucket: 'old', access: 'public' },
      ...{ access_key_id: 'key', secret_access_key: 'secret' },
    }),
  });
  expect(set.status).toBe(200);
  const read = () => fetch(`${server.url}/cdn/${bucket.id}/~/photo.bin`);
  const list = async () => {
    const response = await fetch(`${server.url}/files/${bucket.id}?limit=50`, {
      headers: { 'x-api-key': bucket.api_key },
    });
    return ((await response.json()) as FilePageWire).data.map(({ path, size }) => [path, size]);
  };

  for (let kill = 1; kill <= 3; kill += 1) {
    const reading = read().catch(() => null);
    await until(async () => held.length === kill);
    await server.restart('SIGKILL');
    await reading;
    expect(await list()).toEqual([]);
  }
  source.serve('/old/photo.bin', bytes);
  const response = await read();
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  expect(await list()).toEqual([['photo.bin', bytes.length]]);
  expect((await fsck(server.dataDir)).findings).toEqual([]);
}, 600_000);
