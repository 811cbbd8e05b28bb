import { afterAll, expect, test } from 'bun:test';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { hasCeph } from '../../scripts/setup/test-programs.mjs';
import type { FilePageWire, S3ImportWire } from '../../server/contract/wire.ts';
import { createBucket, signUp } from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { rounds } from '../support/fixtures/torture.ts';
import { fsck } from '../support/server/command.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';
import { KEYS, startRgw } from '../support/services/rgw.ts';

const OBJECTS = rounds(600, 150);
const KILLS = 3;
let wharf: ServerProcess | undefined;
afterAll(() => wharf?.stop());

test.skipIf(!hasCeph())(
  'an import goes on after kill -9, and copies each object once',
  async () => {
    const rgw = await startRgw();
    if (!rgw) throw new Error('Ceph is installed and does not start.');
    const { settings } = await rgw.bucket();
    const client = new S3Client({
      ...{ endpoint: rgw.url, region: 'us-east-1', credentials: KEYS, forcePathStyle: true },
    });
    const keys = Array.from({ length: OBJECTS }, (_, n) => `${n % 5}/${n}.txt`);
    for (const key of keys) {
      const object = { Bucket: settings.bucket, Key: key, Body: Buffer.from(key) };
      await client.send(new PutObjectCommand(object));
    }
    const server = await startServerProcess({
      isQuick: true,
      env: { WEBHOOK_ALLOW_PRIVATE: 'yes' },
    });
    wharf = server;
    const user = await signUp(server);
    const bucket = await createBucket(server, user.token);
    const headers = { 'x-api-key': bucket.api_key };
    const started = await fetch(`${server.url}/files/s3-imports/${bucket.id}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ endpoint: rgw.url, bucket: settings.bucket, access: 'public' },
        ...{ access_key_id: KEYS.accessKeyId, secret_access_key: KEYS.secretAccessKey },
      }),
    });
    const { id } = (await started.json()) as S3ImportWire;
    const state = async () => {
      const response = await fetch(`${server.url}/files/s3-imports/${bucket.id}/${id}`, {
        headers,
      });
      return (await response.json()) as S3ImportWire;
    };
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const wanted = (OBJECTS / (KILLS + 2)) * kill;
      await until(async () => (await state()).copied + (await state()).skipped >= wanted);
      await server.restart('SIGKILL');
    }
    const done = await until(async () => {
      const now = await state();
      return now.status !== 'running' && now;
    });
    expect(done).toMatchObject({ status: 'completed', failed: 0, error: null });
    // What was copied and not yet counted at a kill is found again.
    expect(done.copied + done.skipped).toBe(OBJECTS);

    const paths: string[] = [];
    for (let cursor = '0'; cursor !== ''; ) {
      const query = `cursor=${cursor}&limit=50`;
      const response = await fetch(`${server.url}/files/${bucket.id}?${query}`, { headers });
      const page = (await response.json()) as FilePageWire;
      for (const file of page.data) {
        paths.push(file.path);
        expect(await (await fetch(file.url ?? '')).text()).toBe(file.path);
      }
      cursor = page.nextId ?? '';
    }
    expect(paths.sort()).toEqual(keys.sort());
    expect((await fsck(server.dataDir)).findings).toEqual([]);
  },
  1_200_000,
);
