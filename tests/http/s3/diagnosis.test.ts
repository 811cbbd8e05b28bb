import { expect, test } from 'bun:test';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { CallResponse } from '../../../server/contract/calls.ts';
import { signUp } from '../../support/client/api.ts';
import { createS3Key, s3Client } from '../../support/client/s3.ts';
import { runCommand } from '../../support/server/command.ts';
import {
  sharedBucketInProcess,
  startServerInProcess,
} from '../../support/server/in-process-server.ts';
import { engineSettings } from '../../support/server/test-engine.ts';

const { server, user, bucket } = await sharedBucketInProcess({ S3_PORT: '0' });
const url = server.config.s3?.url ?? '';
const key = await createS3Key(user);
const presigned = await getSignedUrl(
  s3Client(server, key),
  new GetObjectCommand({ Bucket: bucket.id, Key: 'k' }),
);

const diagnose = (
  request: unknown,
  headers: Record<string, string> = user.authorization,
  at = server.url,
) =>
  fetch(`${at}/s3-keys/diagnosis`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ request }),
  });
const findingsOf = async (request: string, headers = user.authorization) => {
  const response = await diagnose(request, headers);
  return ((await response.json()) as CallResponse<'POST /s3-keys/diagnosis'>).findings;
};

test('a presigned URL is right as it was made, and wrong once something of it changed', async () => {
  const found = await findingsOf(presigned);
  expect(found.filter(({ ok }) => !ok)).toEqual([]);
  expect(found.at(-1)?.text).toContain('The signature is right');
  const changed = await findingsOf(presigned.replace('/k?', '/other?'));
  expect(changed.at(-1)).toEqual({ ok: false, text: expect.stringContaining("doesn't match") });
  expect(JSON.stringify([found, changed])).not.toMatch(/[0-9a-f]{64}/);
});

test('a key of another account is not told from one that does not exist', async () => {
  const stranger = await signUp(server);
  const theirs = await findingsOf(presigned, stranger.authorization);
  const unknown = await findingsOf(
    presigned.replace(key.access_key_id, 'WHRFUNKNOWN'),
    stranger.authorization,
  );
  const hidden = (findings: typeof theirs) =>
    JSON.stringify(findings).replaceAll(key.access_key_id, 'ID').replaceAll('WHRFUNKNOWN', 'ID');
  expect(hidden(theirs)).toBe(hidden(unknown));
  expect(theirs.at(-1)?.text).toContain('You have no S3 key');
});

test('a request is checked for a session alone, and is not run', async () => {
  expect((await diagnose(presigned, {})).status).toBe(401);
  expect((await diagnose(presigned, { 'x-api-key': bucket.api_key })).status).toBe(401);
  for (const text of ['hello', '', 3, 'x'.repeat(20_000)]) {
    expect((await diagnose(text)).status).toBe(422);
  }
  await server.services.s3Keys.writeUses();
  const rows = await server.db.selectFrom('s3_keys').select('last_used_at').execute();
  expect(rows.map(({ last_used_at }) => last_used_at)).toEqual([null]);
});

test('nothing is checked where the S3 API is off', async () => {
  const off = await startServerInProcess();
  try {
    const { authorization } = await signUp(off);
    expect((await diagnose(presigned, authorization, off.url)).status).toBe(404);
  } finally {
    await off.stop();
  }
});

test('the operator checks a request by wharf doctor, for the keys of all accounts', async () => {
  const env = { DATA_DIR: server.dataDir, S3_URL: url, ...(await engineSettings(server.dataDir)) };
  const doctor = (input: string, more = {}) =>
    runCommand(['doctor', '--s3-request', '-'], { ...env, ...more }, { input });
  const good = await doctor(`curl '${presigned}'`);
  expect(good.stdout).toContain('The signature is right');
  expect([good.status, good.stderr]).toEqual([0, 'No problems found.\n']);
  const moved = await doctor(presigned, { S3_URL: 'https://s3.example.com' });
  expect(moved.stdout).toContain('PROBLEM  request    The request is for the host');
  expect(moved.status).toBe(1);
  const nonsense = await doctor('hello');
  expect(nonsense.status).not.toBe(0);
  expect(nonsense.stderr).toContain('Paste a curl command');
});
