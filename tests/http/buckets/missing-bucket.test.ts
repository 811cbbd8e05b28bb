import { expect, test } from 'bun:test';
import { createBucket, signUp } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { groupServer } from '../../support/server/group-server.ts';

const server = await groupServer();
const user = await signUp(server);

type Document = { paths: Record<string, Record<string, unknown>> };

test.each([
  ['/dashboard/bucket', 'No bucket id found.'],
  ['/dashboard/files/', 'No bucket id found.'],
  ['/dashboard/api-key', 'No bucket id provided'],
  ['/dashboard/settings/', 'Missing bucket id.'],
])('the page %s says: %s', async (path, text) => {
  const headers = { accept: 'text/html' };
  const response = await user.client.fetch(path, { headers });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(`>${text}</h1>`);
  const visitor = await browser(server.url).fetch(path, { headers });
  expect(visitor.headers.get('location')).toBe('/login');
});

test.each(['bucket', 'files', 'api-key', 'settings'])(
  'the page /dashboard/%s of somebody else’s bucket is not there',
  async (name) => {
    const owner = await signUp(server);
    const { id } = await createBucket(server, owner.token, 'Theirs');
    const headers = { accept: 'text/html' };
    const visit = (one: typeof user) => one.client.fetch(`/dashboard/${name}/${id}`, { headers });
    expect((await visit(owner)).status).toBe(200);
    const response = await visit(user);
    expect(response.status).toBe(404);
    const html = await response.text();
    expect(html).toContain('s missing.</h1>');
    expect(html).not.toContain('Theirs');
  },
);

test('every call on a bucket says what is missing where the id is empty', async () => {
  const document = (await (await fetch(`${server.url}/docs/openapi.json`)).json()) as Document;
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    path.startsWith('/admin/') || !path.includes('{bucketID}')
      ? []
      : Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
  expect(calls.length).toBeGreaterThan(20);
  const texts = calls.map(async ([method, path]) => {
    const examplePath = path.replace('{bucketID}', '').replaceAll(/\{\w+\}/g, '0');
    const response = await fetch(server.url + examplePath, {
      method,
      headers: { authorization: `Bearer ${user.token}` },
    });
    return `${method} ${examplePath}: ${response.status} ${await response.text()}`;
  });
  const wrong = (await Promise.all(texts)).filter(
    (one) => !one.endsWith(': 400 Missing bucket id'),
  );
  // Without the id this call lists all buckets.
  expect(wrong.filter((one) => !/^GET \/buckets\/: 200 /.test(one))).toEqual([]);
});

test('what has an id is none of these', async () => {
  const bucket = await createBucket(server, user.token);
  const headers = { authorization: `Bearer ${user.token}` };
  expect((await fetch(`${server.url}/files/${bucket.id}`, { headers })).status).toBe(200);
  expect((await fetch(`${server.url}/buckets`, { headers })).status).toBe(200);
});
