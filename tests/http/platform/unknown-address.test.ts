import { expect, spyOn, test } from 'bun:test';
import { uploadImage } from '../../support/client/api.ts';
import { locationOf, speakTus } from '../../support/client/tus.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, bucket } = await sharedBucketInProcess({ TRUST_PROXY: '1' });

test('behind a proxy that alone knows the address, URLs are relative', async () => {
  const image = new File([(await photo()) as never], 'a.jpg');
  const { id, url } = await uploadImage(server, bucket, image);
  expect(url).toStartWith(`/cdn/${bucket.id}/${id}/`);
  expect((await fetch(new URL(url ?? '', server.url))).status).toBe(200);
});

test('a tus upload goes on at the address that its client called', async () => {
  const { create, patch } = speakTus(server, bucket);
  const bytes = await photo();
  const created = await create(bytes.length);
  expect(created.headers.get('location')).toStartWith(`/files/tus/${bucket.id}/`);
  expect((await patch(locationOf(created), 0, bytes)).status).toBe(204);
});

test('a proxy that was not announced is noticed at its first request', async () => {
  const warnings: unknown[] = [];
  const warn = spyOn(server.services.log, 'warn').mockImplementation((_, text) => {
    warnings.push(text);
  });
  for (const headers of [{}, { 'x-forwarded-proto': 'https' }, { 'x-forwarded-proto': 'https' }]) {
    await fetch(`${server.url}/login`, { headers } as RequestInit);
  }
  warn.mockRestore();
  expect(warnings).toEqual([expect.stringContaining('APP_URL is not set')]);
});
