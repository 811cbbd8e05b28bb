import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { sharp } from '../../../media/image/sharp.ts';
import { animation, SECRETS, telltale } from '../../../media/testing/pictures.ts';
import { Failure } from '../../../server/contract/failure.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, signUp, uploadFile as uploadTo } from '../../support/client/api.ts';
import { AVIF, get, transforming, WEBP } from '../../support/client/transforms.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

const fixture = await groupBucketInProcess();
const { server, bucket } = fixture;
const { upload, sizeOf, derivatives, disagreements } = transforming(fixture);

describe('an image', () => {
  test('comes in the size, shape and format asked for', async () => {
    const file = await upload(await photo({ width: 1200, height: 800 }));
    const cases: [query: string, made: [number, number, string], type: string][] = [
      ['width=300', [300, 200, 'jpeg'], 'image/jpeg'],
      ['w=300&h=300&fit=cover&f=webp', [300, 300, 'webp'], 'image/webp'],
      ['w=320&format=avif', [320, 213, 'heif'], 'image/avif'],
      ['w=300&h=300&fit=pad&background=red&f=png', [300, 300, 'png'], 'image/png'],
      ['h=100&dpr=2&rotate=90&fit=contain', [133, 200, 'jpeg'], 'image/jpeg'],
    ];
    for (const [query, size, type] of cases) {
      const response = await get(file.url, query);
      expect([query, response.status, response.headers.get('content-type')]).toEqual([
        query,
        200,
        type,
      ]);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('vary')).toBeNull();
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cache-tag')).toBe(`${bucket.id},${file.id}`);
      expect(await sizeOf(response)).toEqual(size);
    }
  });

  test('is turned upright, and tells nothing of who took it where', async () => {
    const file = await upload(await telltale(6, 90, 60).jpeg().toBuffer());
    const response = await get(file.url, 'w=40&f=jpeg');
    const bytes = Buffer.from(await response.clone().arrayBuffer());
    expect(await sizeOf(response)).toEqual([40, 60, 'jpeg']);
    for (const secret of SECRETS) expect(bytes.includes(secret)).toBe(false);
    expect((await sharp(bytes).metadata()).exif).toBeUndefined();
  });

  test('that is asked for as it is comes as it is, and costs nothing', async () => {
    const file = await upload(await photo());
    const bytes = await (await get(file.url)).bytes();
    for (const query of ['utm_source=mail', 'w=9999', 'fit=cover&dpr=2', 'v=2&rotate=0']) {
      const response = await get(file.url, query);
      expect([query, Buffer.from(await response.bytes()).equals(bytes)]).toEqual([query, true]);
    }
    expect(await derivatives(file.id)).toEqual([]);
  });

  test('is downloaded by its name with the ending of what it has become', async () => {
    const file = await upload(await photo());
    const response = await get(file.url, 'w=100&f=avif&download');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="Holiday.avif"');
  });

  test('has ranges, conditions and HEAD like any other', async () => {
    const file = await upload(await photo());
    const query = 'w=200&f=webp';
    const full = await get(file.url, query);
    const bytes = Buffer.from(await full.arrayBuffer());
    const etag = full.headers.get('etag') ?? '';
    const same = await get(file.url, query, { 'if-none-match': etag });
    expect([same.status, await same.text()]).toEqual([304, '']);
    const part = await get(file.url, query, { range: 'bytes=10-19' });
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([
      206,
      bytes.subarray(10, 20),
    ]);
    const head = await fetch(`${file.url}?${query}`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
    expect(head.headers.get('etag')).toBe(etag);
  });

  test('that is a drawing comes as pixels, without what it might do', async () => {
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><script>alert(1)</script><path d="M0 0h20v20H0z"/></svg>';
    const file = await upload(drawing, { name: 'Logo.svg' });
    expect(await sizeOf(await get(file.url, 'w=400&fit=contain'))).toEqual([400, 200, 'png']);
    expect(await sizeOf(await get(file.url, 'format=auto', WEBP))).toEqual([40, 20, 'webp']);
  });

  test('that moves keeps moving where the format can', async () => {
    const file = await upload(await (await animation()).toBuffer(), { name: 'Moving.gif' });
    const response = await get(file.url, 'w=10&format=auto', AVIF);
    expect(response.headers.get('content-type')).toBe('image/webp');
    const { pages } = await sharp(await response.arrayBuffer()).metadata();
    expect(pages).toBe(3);
    expect(await sizeOf(await get(file.url, 'w=10&format=avif'))).toEqual([10, 7, 'heif']);
  });

  test('of a video is its poster; playlists and pieces know no parameters', async () => {
    const fields = { access: 'public', resolution: '320x180' };
    const video = await uploadTo(
      server,
      bucket,
      'video',
      fields,
      await clip({ seconds: 1 }),
      'clip.mp4',
    );
    const poster = await get(video.poster ?? '', 'w=160&f=jpeg');
    expect(await sizeOf(poster)).toEqual([160, 90, 'jpeg']);
    expect(poster.headers.get('content-disposition')).toContain('clip-poster.jpg');
    const playlist = await get(video.url ?? '', 'w=160');
    expect([playlist.status, (await playlist.text()).slice(0, 7)]).toEqual([200, '#EXTM3U']);
    expect((await derivatives(video.id)).length).toBe(1);
  });
});

describe('format=auto', () => {
  let file: FileWire & { url: string };
  beforeAll(async () => {
    file = await upload(await photo());
  });

  test.each([
    [AVIF, 'image/avif'],
    [WEBP, 'image/webp'],
    [{ accept: '*/*' }, 'image/jpeg'],
    [{ accept: 'image/avif;q=0,image/webp' }, 'image/webp'],
  ])('for %p is %s, and only the client may keep it', async (headers, type) => {
    for (const query of ['w=100&format=auto', 'format=auto', 'f=auto&w=100']) {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const response = await get(file.url, query, headers);
        expect([query, response.status, response.headers.get('content-type')]).toEqual([
          query,
          200,
          type,
        ]);
        expect(response.headers.get('vary')).toBe('Accept');
        expect(response.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
      }
    }
  });

  test('may be kept by a CDN that is said to keep such answers apart', async () => {
    const other = await startServerInProcess({ CDN_VARIES_ACCEPT: 'yes' });
    try {
      const where = await createBucket(other, (await signUp(other)).token);
      const image = await upload(await photo(), { on: other, where });
      const response = await get(image.url, 'w=100&f=auto', WEBP);
      expect(response.headers.get('vary')).toBe('Accept');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    } finally {
      await other.stop();
    }
  });
});

describe('what is wrong', () => {
  test('is refused in words, and kept by nobody', async () => {
    const file = await upload(await photo());
    const name = file.url.slice(file.url.lastIndexOf('/') + 1);
    const cases: [url: string, status: number, code: string][] = [
      [`${file.url}?w=0`, 400, 'bad-transform'],
      [`${file.url}?w=100&fit=fill`, 400, 'bad-transform'],
      [`${file.url}?f=tiff`, 400, 'bad-transform'],
      [`${file.url.replace(name, 'other.jpg')}?w=100`, 404, 'not-found'],
      [`${file.url.replace(name, 'other.jpg')}?w=0`, 404, 'not-found'],
      [`${file.url.replace(name, 'd/other.jpg')}?w=100`, 404, 'not-found'],
      [`${file.url.replace(file.id, bucket.id)}?w=100`, 404, 'not-found'],
    ];
    for (const [url, status, code] of cases) {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const response = await fetch(url);
        expect([url, response.status, response.headers.get('x-error-code')]).toEqual([
          url,
          status,
          code,
        ]);
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(response.headers.get('content-type')).toStartWith('text/plain');
      }
    }
    expect(await (await get(file.url, 'w=0')).text()).toContain('width must be');
    expect(await derivatives(file.id)).toEqual([]);
  });

  test('with an image is told once its making fails, and is not tried again at once', async () => {
    const file = await upload(await photo());
    const run = spyOn(server.services.media, 'run').mockImplementation(() =>
      Promise.reject(new Failure('It will not do.', { retry: 'never' })),
    );
    try {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const response = await get(file.url, 'w=50');
        expect([response.status, await response.text()]).toEqual([422, 'It will not do.']);
        expect(response.headers.get('cache-control')).toBe('no-store');
      }
      expect(run).toHaveBeenCalledTimes(1);
    } finally {
      run.mockRestore();
    }
    expect(await derivatives(file.id)).toEqual([]);
  });
});

test('rows and objects agree after all of this', async () => {
  expect(await disagreements()).toEqual([]);
});
