import { expect, test } from 'bun:test';
import { waitForFile } from '../../support/client/api.ts';
import { locationOf, speakTus } from '../../support/client/tus.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { groupBucket } from '../../support/server/group-server.ts';
import { storedObjects } from '../../support/server/stored-objects.ts';

const { server, bucket } = await groupBucket();
const { endpoint, create, patch, offsetOf, sendAndCut } = speakTus(server, bucket);

/** Returns the keys of the objects of one upload. Other files share the server, whose uploads come and go. */
const objectsOf = (url: string) => storedObjects(server, `u/${url.split('/').at(-1)}/`);

const checksum = (algorithm: 'sha1' | 'sha256' | 'md5', bytes: Uint8Array) => ({
  'upload-checksum': `${algorithm} ${new Bun.CryptoHasher(algorithm).update(bytes).digest('base64')}`,
});

test('bytes that come with their checksum are kept when they match, and none of them otherwise', async () => {
  const bytes = await photo();
  const half = bytes.subarray(0, 5000);
  const url = locationOf(await create(bytes.length, { filename: 'a.jpg' }));

  const wrong = await patch(url, 0, half, checksum('sha1', bytes));
  expect([wrong.status, wrong.headers.get('upload-offset')]).toEqual([460, null]);
  expect([await offsetOf(url), await objectsOf(url)]).toEqual([0, []]);

  for (const claim of ['sha1', 'crc32 AAAAAA==', 'sha1 short', 'sha1 !!!']) {
    expect((await patch(url, 0, half, { 'upload-checksum': claim })).status).toBe(400);
  }
  expect(await offsetOf(url)).toBe(0);

  const right = await patch(url, 0, half, checksum('sha256', half));
  expect([right.status, await offsetOf(url)]).toEqual([204, half.length]);
  expect(await objectsOf(url)).toHaveLength(1);
  const rest = bytes.subarray(half.length);
  const last = await patch(url, half.length, rest, checksum('md5', rest));
  const file = await waitForFile(server, bucket, last.headers.get('x-file-id') ?? '');
  expect(file).toMatchObject({
    status: 'success',
    sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
  });
});

test('bytes with a checksum that are cut off on their way are not kept, as nobody can check them', async () => {
  const bytes = await photo();
  const url = locationOf(await create(bytes.length, { filename: 'a.jpg' }));
  // The checksum matches the bytes that arrive, but more were announced.
  await sendAndCut(
    new URL(url),
    0,
    bytes.subarray(0, 3000),
    checksum('sha1', bytes.subarray(0, 3000)),
  );
  expect(await offsetOf(url)).toBe(0);
  await until(async () => (await objectsOf(url)).length === 0);
});

test('the algorithms of checksums are told to whoever asks', async () => {
  const response = await fetch(endpoint, { method: 'OPTIONS' });
  expect(response.headers.get('tus-extension')?.split(',')).toContain('checksum');
  expect(response.headers.get('tus-checksum-algorithm')).toContain('sha1,sha256');
});
