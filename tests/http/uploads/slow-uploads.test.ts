import { afterAll, expect, spyOn, test } from 'bun:test';
import { IDLE_TIMEOUT_SECONDS } from '../../../server/web/http/idle-timeout.ts';
import { FORM_HEADERS, formStart, slowBody } from '../../support/client/slow-body.ts';
import { locationOf, speakTus } from '../../support/client/tus.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

/** Bun's own function, which tests can't see from outside in less than the minutes of the timeout. */
const serve = spyOn(Bun, 'serve');
const { server, bucket } = await sharedBucketInProcess();
const [listening] = serve.mock.results.map(({ value }) => value as Bun.Server<unknown>);
serve.mockRestore();
if (!listening) throw new Error('No server listens.');
const timeout = spyOn(listening, 'timeout');
afterAll(() => timeout.mockRestore());

const { key, create } = speakTus(server, bucket);
const PATCH = {
  'tus-resumable': '1.0.0',
  'upload-offset': '0',
  'content-type': 'application/offset+octet-stream',
};

test('a client may send an image, a chunk, the head of a video or a part by tus as slowly as it likes', async () => {
  const bytes = await photo();
  const start = bytes.subarray(0, 1000);
  const upload = locationOf(await create(bytes.length));
  const form = (path: string, fields: Parameters<typeof formStart>[0]) => {
    const init = { method: 'POST', headers: { ...key, ...FORM_HEADERS } };
    return { path: `/files/${path}/${bucket.id}`, init, ...slowBody(formStart(fields), start) };
  };
  const slow = [
    form('upload/image', {}),
    form('upload/video', { client_id: 'slow', chunk_number: 0, total_chunks: 2 }),
    form('resolution/video', {}),
    {
      path: new URL(upload).pathname,
      init: { method: 'PATCH', headers: { ...key, ...PATCH } },
      ...slowBody(start),
    },
  ];
  timeout.mockClear();
  const sent = slow.map(({ path, init, body }) => fetch(server.url + path, { ...init, body }));
  const restarts = await until(async () => {
    const calls = timeout.mock.calls.map(([{ url }, seconds]) => [new URL(url).pathname, seconds]);
    return calls.length >= slow.length && calls;
  });
  expect(restarts.sort()).toEqual(slow.map(({ path }) => [path, IDLE_TIMEOUT_SECONDS]).sort());
  for (const { cut } of slow) cut();
  await Promise.allSettled(sent);
});
