import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteBucketCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { isSetupStepComplete } from '../../../server/platform/setup/setup-steps-store.ts';
import { signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

const key = { access_key_id: 'INSTALLER', secret_access_key: 'f3c9a1d7e5b04826c6d1e09f7a2b4c8d' };
const env = {
  S3_PORT: '0',
  ADMIN_EMAIL: 'Admin@example.com',
  S3_BOOTSTRAP: `first-bucket:${key.access_key_id}:${key.secret_access_key}`,
};
const dataDir = await mkdtemp(join(tmpdir(), 'wharf-bootstrap-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));
const start = () => startServerInProcess(env, { dataDir });

type Server = Awaited<ReturnType<typeof start>>;
const namesAt = async (server: Server) =>
  (await s3Client(server, key).send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name);

test('the first start creates a bucket and a key for the admin, and no later one does', async () => {
  const first = await start();
  try {
    expect(await namesAt(first)).toEqual(['first-bucket']);
    const s3 = s3Client(first, key);
    await s3.send(new PutObjectCommand({ Bucket: 'first-bucket', Key: 'a', Body: 'x' }));
    const users = await first.db.selectFrom('users').select(['id', 'email']).execute();
    expect(users.map(({ email }) => email)).toEqual(['Admin@example.com']);
    const rows = await first.db.selectFrom('s3_keys').selectAll().execute();
    expect(rows.map(({ user_id }) => user_id)).toEqual(users.map(({ id }) => id));
    expect(JSON.stringify(rows)).not.toContain(key.secret_access_key);
  } finally {
    await first.stop();
  }

  const second = await start();
  try {
    expect(await namesAt(second)).toEqual(['first-bucket']);
    expect(await second.db.selectFrom('s3_keys').select('id').execute()).toHaveLength(1);
    expect(await second.db.selectFrom('buckets').select('id').execute()).toHaveLength(1);
    const s3 = s3Client(second, key);
    const refused = s3.send(new DeleteBucketCommand({ Bucket: 'first-bucket' }));
    expect(await refusalOf(refused)).toEqual(['BucketNotEmpty', 409]);
    const [row] = await second.db.selectFrom('s3_keys').select(['id', 'user_id']).execute();
    await second.services.s3Keys.delete(row?.user_id ?? '', row?.id ?? '');
  } finally {
    await second.stop();
  }

  const third = await start();
  try {
    expect(await refusalOf(namesAt(third))).toEqual(['InvalidAccessKeyId', 403]);
  } finally {
    await third.stop();
  }
});

test('nobody knows the password of the account that is created', async () => {
  const server = await start();
  try {
    for (const password of ['', key.secret_access_key, 'Admin@example.com']) {
      const response = await fetch(`${server.url}/users/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'admin@example.com', password }),
      });
      expect(response.status).toBeGreaterThanOrEqual(400);
    }
  } finally {
    await server.stop();
  }
});

test('the server starts although another account has the access key ID, and changes nothing of that key', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bootstrap-'));
  const { S3_BOOTSTRAP: _none, ...without } = env;
  try {
    const first = await startServerInProcess(without, { dataDir: folder });
    const taken = await signUp(first)
      .then((user) => createS3Key(user))
      .finally(() => first.stop());
    const S3_BOOTSTRAP = `second-bucket:${taken.access_key_id}:${key.secret_access_key}`;
    const second = await startServerInProcess({ ...env, S3_BOOTSTRAP }, { dataDir: folder });
    try {
      const list = (secret: typeof key) =>
        s3Client(second, secret).send(new ListBucketsCommand({}));
      expect((await list(taken)).Buckets ?? []).toEqual([]);
      const guessed = { ...key, access_key_id: taken.access_key_id };
      expect((await refusalOf(list(guessed)))[1]).toBe(403);
      // Once its ID is another one, it is done.
      expect(await isSetupStepComplete(second.db, 's3-bootstrap')).toBe(false);
    } finally {
      await second.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
