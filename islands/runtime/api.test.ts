import { afterEach, expect, mock, test } from 'bun:test';
import { publicCall } from './api.ts';
import { ApiError } from './api-error.ts';

const originalFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = originalFetch;
});

/** Responds to every request with `response`. Returns the requests. */
function answering(response: () => Response | Promise<Response>) {
  const fetching = mock(async (url: string, request: RequestInit) => {
    requests.push({ url, ...request });
    return response();
  });
  const requests: ({ url: string } & RequestInit)[] = [];
  globalThis.fetch = fetching as unknown as typeof fetch;
  return requests;
}

test('a call fills the path, the query and the body in', async () => {
  const requests = answering(() => Response.json({ ok: true }));
  await publicCall('POST /users/send/email/no/auth/:p1/:p2', {
    params: { p1: 'a b+c@example.com', p2: 'login' },
    body: { password: 'x' },
  });
  await publicCall('GET /buckets', { query: { name: 'a&b', cursor: '0', limit: undefined } });
  expect(requests).toMatchObject([
    {
      url: '/users/send/email/no/auth/a%20b%2Bc%40example.com/login',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"password":"x"}',
    },
    { url: '/buckets?name=a%26b&cursor=0', method: 'GET', headers: {} },
  ]);
});

test('a form is sent as one', async () => {
  const requests = answering(() => new Response(null, { status: 204 }));
  expect(await publicCall('POST /users/email', { form: { subject: 'delete-account' } })).toBeNull();
  const form = requests[0]?.body as FormData;
  expect([...form]).toEqual([['subject', 'delete-account']]);
});

test('JSON is read as it is, and text stays text', async () => {
  const date = '2026-11-23T00:00:00.000Z';
  answering(() => Response.json({ email: date }));
  expect(await publicCall('GET /users/profile')).toEqual({ email: date });
  answering(() => new Response('1,2\n', { headers: { 'content-type': 'text/csv' } }));
  expect(
    await publicCall('GET /billing/statements/:month', {
      params: { month: '2026-11' },
      query: { format: 'csv' },
    }),
  ).toBe('1,2\n');
});

test('a refusal is an ApiError with the words of the server', async () => {
  answering(() => new Response('Bucket not found.', { status: 404 }));
  const failure = await publicCall('GET /users/profile').catch((error) => error);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ status: 404, message: 'Bucket not found.' });
});

test('no answer is an ApiError of status 0', async () => {
  answering(() => Promise.reject(new TypeError('Failed to fetch')));
  expect(await publicCall('GET /users/profile').catch((error) => error)).toMatchObject({
    status: 0,
    message: 'An unexpected error occurred.',
  });
});

test('what does not fit the schemas does not compile', () => {
  const wrong = () => {
    // @ts-expect-error there is no such call
    void publicCall('GET /nothing');
    // @ts-expect-error the path has a parameter
    void publicCall('GET /buckets/:bucketID');
    // @ts-expect-error the body lacks its password
    void publicCall('POST /users/signup', { body: { email: 'a@example.com' } });
    void publicCall('PUT /buckets/transforms/:bucketID', {
      params: { bucketID: '1' },
      // @ts-expect-error a policy is off or open
      body: { policy: 'on' },
    });
    // @ts-expect-error this call takes no body
    void publicCall('GET /users/profile', { body: {} });
  };
  expect(wrong).toBeFunction();
});
