import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBucket, createToken, signUp, uploadImage } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { runCommand } from '../../support/server/command.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';
import { engineSettings, removeEngine } from '../../support/server/test-engine.ts';

const OLD = 'the old secret of this installation';
const NEXT = 'the new secret of this installation';

type Settings = Record<string, string>;

/**
 * Rotates the secret of a server that has a session, a key, a token and a private file.
 * @param before settings with the old secret
 * @param during with both, if they are in the settings
 * @param after with the new one
 */
async function rotate(dataDir: string, before: Settings, during: Settings, after: Settings) {
  const start = (env: Settings) => startServerInProcess(env, { dataDir });
  const command = async (env: Settings, ...args: string[]) => {
    const settings = { DATA_DIR: dataDir, ...(await engineSettings(dataDir)), ...env };
    return runCommand(['rotate-secret', ...args], settings);
  };
  let server = await start(before);
  try {
    const { authorization } = await signUp(server);
    const bucket = await createBucket(server, authorization.authorization.slice('Bearer '.length));
    const image = new File([new Uint8Array(await photo())], 'a.jpg', { type: 'image/jpeg' });
    const { id, name } = await uploadImage(server, bucket, image, 'private');
    const jwt = await createToken(server, bucket);
    const named = await createApiKey(server, authorization, bucket.id);
    const statuses = async () => {
      const file = `/cdn/${bucket.id}/${id}/${encodeURIComponent(name)}`;
      const list = `/files/${bucket.id}`;
      const calls: [string, Record<string, string>][] = [
        ['/users/profile', authorization],
        [list, { 'x-api-key': bucket.api_key }],
        [list, { 'x-api-key': named }],
        [`${file}?jwt=${jwt}`, {}],
      ];
      const responses = calls.map(([path, headers]) => fetch(server.url + path, { headers }));
      return (await Promise.all(responses)).map(({ status }) => status);
    };
    expect(await statuses()).toEqual([200, 200, 200, 200]);

    const nothing = await command(before, '--finish');
    expect([nothing.status, nothing.stderr]).toEqual([1, expect.stringContaining('no previous')]);
    const started = await command(before);
    expect([started.status, started.stderr]).toEqual([0, '']);
    const early = await command(during, '--finish');
    expect(early.status).toBe(1);
    expect(early.stderr).toContain('still encrypted with the previous secret');
    const again = await command(during);
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('in progress')]);

    await server.stop();
    server = await start(during);
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    const finished = await until(async () => {
      const done = await command(during, '--finish');
      return done.status === 0 && done;
    });
    expect(await statuses()).toEqual([200, 200, 200, 200]);

    await server.stop();
    server = await start(after);
    expect(await statuses()).toEqual([401, 200, 200, 403]);
    return { started, finished };
  } finally {
    await server.stop();
    await removeEngine(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Creates a key of which the server keeps a hash only, and returns it. */
async function createApiKey({ url }: { url: string }, authorization: object, bucketId: string) {
  const response = await fetch(`${url}/buckets/api-keys/${bucketId}`, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Backup', scope: 'read' }),
  });
  return ((await response.json()) as { api_key: string }).api_key;
}

const folder = () => mkdtemp(join(tmpdir(), 'wharf-rotation-'));

test('a secret in DATA_DIR is replaced by the command, while what it made keeps working', async () => {
  const settings = { DATABASE_URL: '', APP_SECRET: '' };
  const { started, finished } = await rotate(await folder(), settings, settings, settings);
  expect(started.stdout).toContain('Restart the server');
  expect(finished.stdout).toContain('The previous secret is removed');
});

test('a secret in the environment is replaced beside APP_SECRET_PREVIOUS', async () => {
  const { started, finished } = await rotate(
    await folder(),
    { APP_SECRET: OLD },
    { APP_SECRET: NEXT, APP_SECRET_PREVIOUS: OLD },
    { APP_SECRET: NEXT },
  );
  expect(started.stdout).toMatch(/^APP_SECRET=[0-9a-f]{64}$/m);
  expect(finished.stdout).toContain('Unset APP_SECRET_PREVIOUS');
});
