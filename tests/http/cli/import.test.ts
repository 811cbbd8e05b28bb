import { describe, expect, test } from 'bun:test';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { hasCeph } from '../../../scripts/setup/test-programs.mjs';
import type { FilePageWire } from '../../../server/contract/wire.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { runCommand } from '../../support/server/command.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';
import { KEYS, startRgw } from '../../support/services/rgw.ts';

const server = await sharedServerInProcess({ WEBHOOK_ALLOW_PRIVATE: 'yes' });
const user = await signUp(server);
const env = {
  ...{ DATA_DIR: server.dataDir, WEBHOOK_ALLOW_PRIVATE: 'yes' },
  ...{ REMOTE_ACCESS_KEY_ID: KEYS.accessKeyId, REMOTE_SECRET_ACCESS_KEY: KEYS.secretAccessKey },
  ...(server.config.database.kind === 'postgres' && { DATABASE_URL: server.config.database.url }),
};
const run = (args: string[], more: Record<string, string> = {}) =>
  runCommand(['import', ...args], { ...env, ...more });

/** Runs the command while the server looks for imports without a pause, instead of each quarter of a minute. */
async function runBesideRounds(args: string[]): Promise<Awaited<ReturnType<typeof run>>> {
  const running = run(args);
  let isOver = false;
  const ended = running.finally(() => {
    isOver = true;
  });
  await until(async () => {
    await server.services.housekeeping.round();
    return isOver;
  });
  return ended;
}

describe.skipIf(!hasCeph())('wharf import s3', () => {
  test('has the running server copy a bucket, and can be repeated', async () => {
    const rgw = await startRgw();
    if (!rgw) throw new Error('Ceph is installed and does not start.');
    const { settings } = await rgw.bucket();
    const client = new S3Client({
      ...{ endpoint: rgw.url, region: 'us-east-1', credentials: KEYS, forcePathStyle: true },
    });
    for (const Key of ['2026/a.txt', '2026/b/c.txt', '2026/slash/', '2025/d.txt']) {
      const object = { Bucket: settings.bucket, Key, Body: Buffer.from(Key) };
      await client.send(new PutObjectCommand(object));
    }
    const bucket = await createBucket(server, user.token);
    const source = `${settings.bucket}/2026`;
    const args = ['s3', bucket.id, source, '--endpoint', rgw.url, '--folder', 'old', '--public'];
    const first = await runBesideRounds(args);
    expect(first.stdout).toMatch(/^Import \w{26} started\./);
    expect(first.stdout).toContain('2 files copied (0.02 KiB), 0 already here, 1 failed.');
    expect(first.stdout).toEndWith('The import is completed.\n');
    expect(first.stderr).toContain('2026/slash/: A key that ends in a slash is a folder here');
    expect(first.status).toBe(1);
    const response = await fetch(`${server.url}/files/${bucket.id}`, {
      headers: user.authorization,
    });
    const { data } = (await response.json()) as FilePageWire;
    expect(data.map(({ path, access }) => [path, access]).sort()).toEqual([
      ['old/a.txt', 'public'],
      ['old/b/c.txt', 'public'],
    ]);
    const again = await runBesideRounds([
      ...['s3', bucket.id, source, '--endpoint', rgw.url, '--folder', 'old'],
    ]);
    expect(again.stdout).toContain('0 files copied (0.00 KiB), 2 already here, 1 failed.');
  }, 600_000);

  test('says what is wrong before anything is started', async () => {
    const { id } = await createBucket(server, user.token);
    const wrong = async (args: string[], more: Record<string, string> = {}) => {
      const { status, stderr, stdout } = await run(args, more);
      expect([status, stdout]).toEqual([1, '']);
      return stderr;
    };
    expect(await wrong([])).toContain('Use: import s3');
    expect(await wrong(['s3', id])).toContain('Use: import s3');
    expect(await wrong(['s3', 'nothing', 'photos'])).toContain('There is no bucket with the id');
    const endpoint = ['--endpoint', 'http://127.0.0.1:1'];
    expect(await wrong(['s3', id, 'photos', ...endpoint])).toContain('The connection was refused.');
    const noKey = { REMOTE_SECRET_ACCESS_KEY: '' };
    expect(await wrong(['s3', id, 'photos'], noKey)).toContain('Set REMOTE_ACCESS_KEY_ID');
    expect(
      await server.db.selectFrom('s3_imports').select('id').where('bucket_id', '=', id).execute(),
    ).toEqual([]);
  });
});
