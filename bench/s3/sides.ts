import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { SECOND } from '../../server/contract/limits.ts';
import { createBucket, signUp } from '../../tests/support/client/api.ts';
import { createS3Key, s3Client } from '../../tests/support/client/s3.ts';
import { freePort } from '../../tests/support/server/free-port.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../tests/support/server/server-process.ts';
import { KEYS, startOwnRgw } from '../../tests/support/services/rgw.ts';
import { seedFiles } from '../files/seed-files.ts';
import { residentMemory } from '../processes.ts';
import { type Presign, presignFor } from './presign.ts';

/** An S3 server with two buckets, one of which has many objects. */
export type Side = {
  origin: string;
  presign: Presign;
  client: S3Client;
  bucket: string;
  /** The bucket whose objects are listed. */
  full: string;
};
export type Sides = { ours: Side; rgw: Side };

/** The keys of the objects that are listed. */
export const listedKey = (n: number): string => `listed/${String(n).padStart(9, '0')}`;
const FILLERS = 32;
const SETTLE_MS = 2 * SECOND;

/** Starts Wharf on the embedded database and a disk. `idle` is its memory in MiB before any request. */
export async function startOurs(
  objects: number,
): Promise<Side & { server: ServerProcess; idle: number }> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const server = await startServerProcess({
    isQuick: true,
    env: { S3_PORT: String(port), LOG_LEVEL: 'error', SIGNUP_CREDIT: '1000' },
  });
  const user = await signUp(server, 'bench@example.org', 'a long enough password');
  const key = await createS3Key(user);
  const bucket = await createBucket(server, user.token, 'Benchmark');
  const full = await createBucket(server, user.token, 'Full');
  await server.restart('SIGTERM', async () =>
    seedFiles(server.dataDir, full.id, objects, listedKey),
  );
  await Bun.sleep(SETTLE_MS);
  const credentials = {
    accessKeyId: key.access_key_id,
    secretAccessKey: key.secret_access_key,
  };
  return {
    ...{ origin, server, bucket: bucket.id, full: full.id },
    presign: presignFor(origin, credentials),
    client: s3Client({ config: { s3: { url: origin } } }, key),
    idle: await residentMemory(server.pid()),
  };
}

/** Starts Ceph's gateway, which has its objects in memory. It ends with this process. */
export async function startPeer(objects: number): Promise<Side> {
  const rgw = await startOwnRgw();
  if (!rgw) throw new Error('It needs Ceph. To install: apt-get install radosgw ceph-osd ceph-mon');
  const key = { access_key_id: KEYS.accessKeyId, secret_access_key: KEYS.secretAccessKey };
  const client = s3Client({ config: { s3: { url: rgw.url } } }, key, { region: 'default' });
  const [bucket, full] = ['benchmark', 'full'];
  for (const Bucket of [bucket, full]) await client.send(new CreateBucketCommand({ Bucket }));
  const side = { origin: rgw.url, presign: presignFor(rgw.url, KEYS, 'default'), client };
  await fill(side, full, objects);
  return { ...side, bucket, full };
}

/** Puts objects without bytes into a bucket. */
async function fill(
  { origin, presign }: Pick<Side, 'origin' | 'presign'>,
  bucket: string,
  objects: number,
): Promise<void> {
  const left = Array.from({ length: objects }, (_, n) => n).values();
  const work = async () => {
    for (const n of left) {
      const response = await fetch(origin + presign('PUT', `/${bucket}/${listedKey(n)}`), {
        method: 'PUT',
        body: '',
      });
      if (!response.ok) throw new Error(`fill: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: FILLERS }, work));
}
