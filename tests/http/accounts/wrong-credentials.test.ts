import { expect, test } from 'bun:test';
import { createBucket } from '../../support/client/api.ts';
import { groupBucket } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucket();

async function statusAndType(path: string, headers: Record<string, string>, method = 'GET') {
  const response = await fetch(`${server.url}${path}`, { method, headers });
  return { status: response.status, text: await response.text() };
}

test('an API key where only the owner may act is told what to send', async () => {
  const key = { 'x-api-key': bucket.api_key };
  for (const [method, path] of [
    ['GET', `/buckets/${bucket.id}`],
    ['PUT', `/buckets/roll/api-key/${bucket.id}`],
  ] as const) {
    expect(await statusAndType(path, key, method)).toEqual({
      status: 401,
      text: "API keys aren't accepted for this call. Send a session token as Authorization: Bearer.",
    });
  }
  const nothing = await statusAndType(`/buckets/${bucket.id}`, {});
  expect(nothing).toEqual({ status: 401, text: 'Log in to continue.' });
});

test('a token that is not valid is called so, and one that may only upload too', async () => {
  const files = `/files/${bucket.id}`;
  const text = "The API key or token isn't valid or has expired. Log in, or send another one.";
  expect(await statusAndType(files, { 'x-api-key': 'nonsense' })).toEqual({ status: 401, text });

  const minted = `/buckets/jwt/${bucket.id}/0/write`;
  const { text: token } = await statusAndType(minted, { 'x-api-key': bucket.api_key }, 'POST');
  const write = { authorization: `Bearer ${JSON.parse(token).jwt}` };
  expect(await statusAndType(files, write)).toEqual({
    status: 401,
    text: "Write tokens can only upload. Send the bucket's API key instead.",
  });
  const other = await createBucket(server, user.token);
  expect(await statusAndType(`/files/${other.id}`, write)).toEqual({ status: 401, text });
});

test('an expiry in milliseconds is called so', async () => {
  const path = `/buckets/jwt/${bucket.id}/${Date.now() + 60_000}/read`;
  expect(await statusAndType(path, { 'x-api-key': bucket.api_key }, 'POST')).toEqual({
    status: 422,
    text: 'The expiry must be in epoch seconds, not milliseconds, or 0 for none.',
  });
});

test('a call that is not there says where all of them are', async () => {
  const text = `Unknown endpoint. Check the method and path; all calls are listed at ${server.url}/docs.`;
  for (const [method, path] of [
    ['GET', `/files/upload/image/${bucket.id}`],
    ['POST', '/api/v1/files?key=secret'],
  ] as const) {
    expect(await statusAndType(path, {}, method)).toEqual({ status: 404, text });
  }
});
