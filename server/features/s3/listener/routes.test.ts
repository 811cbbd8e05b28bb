import { afterEach, expect, jest, test } from 'bun:test';
import type { Server } from 'bun';
import type { S3Response } from '../request.ts';
import { s3Routes } from './routes.ts';

afterEach(() => jest.useRealTimers());

/** Returns a request to the API that is answered when `answer` is called, and how often its timeout was restarted. */
function waiting(body: ReadableStream<Uint8Array> | string | null) {
  const { promise, resolve } = Promise.withResolvers<S3Response>();
  const arrival = Promise.withResolvers<void>();
  const timeout = jest.fn();
  const routes = s3Routes({
    s3: {
      async handle(request) {
        await new Response(request.body).bytes();
        arrival.resolve();
        return promise;
      },
    },
    appUrl: 'http://localhost',
    regionRouter: { cdnUrls: [] },
  });
  const server = { timeout, requestIP: () => null } as unknown as Server<unknown>;
  const request = new Request('http://localhost/s3/b/k', { method: 'POST', body });
  const response = routes['/s3/*']?.(request, server);
  const arrived = arrival.promise;
  return {
    timeout,
    response,
    arrived,
    answer: () => resolve({ status: 200, headers: {}, body: '' }),
  };
}

test('a connection stays open while the server works on a request that has arrived', async () => {
  jest.useFakeTimers();
  for (const body of [null, 'parts']) {
    const { timeout, response, arrived, answer } = waiting(body);
    await arrived;
    jest.advanceTimersByTime(60_000);
    expect(timeout.mock.calls.length).toBeGreaterThan(1);
    answer();
    expect((await response)?.status).toBe(200);
    const before = timeout.mock.calls.length;
    jest.advanceTimersByTime(60_000);
    expect(timeout.mock.calls.length).toBe(before);
  }
});

test('a client that sends nothing more is not kept connected', () => {
  jest.useFakeTimers();
  const { timeout } = waiting(new ReadableStream());
  jest.advanceTimersByTime(600_000);
  expect(timeout).not.toHaveBeenCalled();
});
