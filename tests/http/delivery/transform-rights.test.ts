import { describe, expect, spyOn, test } from 'bun:test';
import { sharp } from '../../../media/image/sharp.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { AVIF, get, transforming } from '../../support/client/transforms.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const fixture = await groupBucketInProcess();
const { server, user, bucket } = fixture;
const { upload, derivatives, usage, setPolicy, token, tidy, disagreements } = transforming(fixture);

/** Returns what disabling transforms would remove. */
const generatedIn = (where = bucket, headers: HeadersInit = user.authorization) =>
  fetch(`${server.url}/buckets/transforms/${where.id}`, { headers });

describe('the policy of a bucket', () => {
  test('off refuses every transform, gives back what they took, and lets images be', async () => {
    const where = await createBucket(server, user.token, 'Off');
    const file = await upload(await photo(), { where });
    const before = await usage(where);
    expect((await get(file.url, 'w=100')).status).toBe(200);
    const bytes = (await usage(where)) - before;
    expect(bytes).toBeGreaterThan(0);
    expect(await (await generatedIn(where)).json()).toEqual({ policy: 'open', images: 1, bytes });

    const set = await setPolicy('off', where);
    expect([set.status, ((await set.json()) as { transforms: string }).transforms]).toEqual([
      200,
      'off',
    ]);
    for (const query of ['w=100', 'w=200', 'f=auto']) {
      const response = await get(file.url, query);
      expect([response.status, response.headers.get('x-error-code')]).toEqual([
        403,
        'transforms-off',
      ]);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
    expect((await get(file.url)).status).toBe(200);
    expect((await get(file.url, 'v=2')).status).toBe(200);
    await tidy();
    expect(await derivatives(file.id)).toEqual([]);
    expect(await usage(where)).toBe(before);
    expect(await (await generatedIn(where)).json()).toEqual({ policy: 'off', images: 0, bytes: 0 });

    await setPolicy('open', where);
    expect((await get(file.url, 'w=100')).status).toBe(200);
  });

  test('is its owner’s to set, to what there is', async () => {
    const stranger = await signUp(server);
    expect((await setPolicy('off', bucket, stranger)).status).toBe(404);
    expect((await generatedIn(bucket, stranger.authorization)).status).toBe(404);
    expect((await generatedIn(bucket, {})).status).toBe(401);
    expect((await generatedIn(bucket, { 'x-api-key': bucket.api_key })).status).toBe(401);
    for (const policy of ['closed', '', 1]) {
      expect((await setPolicy(policy as string)).status).toBe(422);
    }
    const keyed = await fetch(`${server.url}/buckets/transforms/${bucket.id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-api-key': bucket.api_key },
      body: '{"policy":"off"}',
    });
    expect(keyed.status).toBe(401);
  });
});

describe('a private image', () => {
  const matrix = async (file: FileWire & { url: string }, query: string) => {
    const other = await createBucket(server, user.token, 'Other');
    const theirs = await token(other);
    const elsewhere = await token(bucket, { file_id: (await upload(await photo())).id });
    const statuses = [];
    for (const jwt of ['', theirs, elsewhere, await token(bucket, {}, 'write'), user.token]) {
      const response = await get(file.url, jwt ? `${query}&jwt=${jwt}` : query, AVIF);
      expect(response.headers.get('cache-control')).toBe('no-store');
      statuses.push(response.status);
    }
    return statuses;
  };
  const REFUSED = [401, 403, 403, 403, 403];

  test.each(['w=100', 'w=100&f=auto', 'q=100&f=png'])(
    '(%s) needs its token, made or not',
    async (query) => {
      const file = await upload(await photo(), { access: 'private' });
      expect(await matrix(file, query)).toEqual(REFUSED);
      expect(await derivatives(file.id)).toEqual([]);
      for (const jwt of [await token(), await token(bucket, { file_id: file.id })]) {
        for (let attempt = 0; attempt < 2; attempt += 1) {
          const response = await get(file.url, `jwt=${jwt}&${query}`, AVIF);
          expect([response.status, response.headers.get('cache-control')]).toEqual([
            200,
            'private, no-store',
          ]);
          await response.arrayBuffer();
        }
      }
      expect(await matrix(file, query)).toEqual(REFUSED);
    },
  );

  test('without a token is not told what is wrong with its parameters', async () => {
    const file = await upload(await photo(), { access: 'private' });
    expect((await get(file.url, 'w=0')).status).toBe(401);
  });

  test('behind a WebP that was asked for shows nothing that the WebP does not', async () => {
    const original = await photo();
    const file = await upload(original, { webp: 'yes' });
    expect(file.url).toEndWith('.webp');
    const run = spyOn(server.services.media, 'run');
    const response = await get(file.url, 'q=100&f=png');
    const sources = run.mock.calls.map(([job]) => (job.kind === 'transform' ? job.source : null));
    run.mockRestore();
    const row = await server.services.files.forDelivery(file.id);
    expect(sources).toEqual([`${row?.prefix}${row?.entry}`]);
    const delivered = await sharp(await (await get(file.url)).arrayBuffer())
      .raw()
      .toBuffer();
    const pixel = await sharp(await response.arrayBuffer())
      .removeAlpha()
      .raw()
      .toBuffer();
    expect(pixel.equals(delivered)).toBe(true);
    for (const name of ['holiday.jpg', 'original', 'o/holiday.jpg']) {
      const url = file.url.replace(/[^/]+$/, name);
      expect((await get(url, 'w=100')).status).toBe(404);
    }
  });
});

test('rows and objects agree after all of this', async () => {
  expect(await disagreements()).toEqual([]);
});
