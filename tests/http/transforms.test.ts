import { afterEach, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { sharp } from '../../media/sharp.ts';
import { SECRETS, telltale } from '../../media/testing/pictures.ts';
import { plainMetadata } from '../../media/testing/plain-sharp.ts';
import { openForReading } from '../../server/adapters/reading.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { audit } from '../../server/fsck/audit.ts';
import { clip, photo } from '../support/media.ts';
import {
  form,
  makeBucket,
  settledFile,
  signUp,
  startServer,
  type TestServer,
} from '../support/server.ts';
import { sharedBucket } from '../support/shared-server.ts';

setDefaultTimeout(60_000);
const AVIF = { accept: 'image/avif,image/webp,*/*' };
const WEBP = { accept: 'image/webp,*/*' };

const { server, user, bucket } = await sharedBucket();
async function upload(
  bytes: Buffer | string,
  { access = 'public', webp = '', name = 'Holiday.jpg', on = server, where = bucket } = {},
): Promise<FileWire & { url: string }> {
  const answer = await fetch(`${on.url}/files/upload/image/${where.id}`, {
    method: 'POST',
    headers: { 'x-api-key': where.api_key },
    body: form({ access, webp }, new Blob([bytes as never]), name),
  });
  const { id } = (await answer.json()) as FileWire;
  const file = await settledFile(on, where, id);
  if (!file.url) throw new Error(`${name}: ${file.error}`);
  return { ...file, url: file.url };
}

const get = (url: string, query = '', headers: Record<string, string> = {}) =>
  fetch(query ? `${url}?${query}` : url, { headers });

async function sizeOf(answer: Response): Promise<[number, number, string]> {
  const path = join(server.dataDir, `seen-${crypto.randomUUID()}`);
  await Bun.write(path, await answer.arrayBuffer());
  const { width, height, pageHeight, format } = await plainMetadata(path);
  return [width, pageHeight ?? height, format];
}

const derivatives = (fileId: string, on = server) =>
  on.services.database.db
    .selectFrom('derivatives')
    .selectAll()
    .where('file_id', '=', fileId)
    .orderBy('transform')
    .execute();

async function usage(where = bucket): Promise<number> {
  const answer = await fetch(`${server.url}/buckets/${where.id}`, { headers: user.authorization });
  return ((await answer.json()) as { usage: number }).usage;
}

/** A round of housekeeping that begins after now: the first may have been under way. */
async function tidy() {
  await server.services.housekeeping.round();
  await server.services.housekeeping.round();
}

async function setPolicy(policy: string, where = bucket, as = user) {
  return fetch(`${server.url}/buckets/transforms/${where.id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...as.authorization },
    body: JSON.stringify({ policy }),
  });
}

async function token(where = bucket, body: unknown = {}, scope = 'read') {
  const path = `/buckets/jwt/${where.id}/0/${scope}`;
  const answer = await user.client.post(path, body, user.authorization);
  return ((await answer.json()) as { jwt: string }).jwt;
}

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
    for (const [query, made, type] of cases) {
      const answer = await get(file.url, query);
      expect([query, answer.status, answer.headers.get('content-type')]).toEqual([
        query,
        200,
        type,
      ]);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('vary')).toBeNull();
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-tag')).toBe(`${bucket.id},${file.id}`);
      expect(await sizeOf(answer)).toEqual(made);
    }
  });

  test('is turned upright, and tells nothing of who took it where', async () => {
    const file = await upload(await telltale(6, 90, 60).jpeg().toBuffer());
    const answer = await get(file.url, 'w=40&f=jpeg');
    const bytes = Buffer.from(await answer.clone().arrayBuffer());
    expect(await sizeOf(answer)).toEqual([40, 60, 'jpeg']);
    for (const secret of SECRETS) expect(bytes.includes(secret)).toBe(false);
    expect((await sharp(bytes).metadata()).exif).toBeUndefined();
  });

  test('that is asked for as it is comes as it is, and costs nothing', async () => {
    const file = await upload(await photo());
    const whole = await (await get(file.url)).bytes();
    for (const query of ['utm_source=mail', 'w=9999', 'fit=cover&dpr=2', 'v=2&rotate=0']) {
      const answer = await get(file.url, query);
      expect([query, Buffer.from(await answer.bytes()).equals(whole)]).toEqual([query, true]);
    }
    expect(await derivatives(file.id)).toEqual([]);
  });

  test('is downloaded by its name with the ending of what it has become', async () => {
    const file = await upload(await photo());
    const answer = await get(file.url, 'w=100&f=avif&download');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="Holiday.avif"');
  });

  test('has ranges, conditions and HEAD like any other', async () => {
    const file = await upload(await photo());
    const query = 'w=200&f=webp';
    const whole = await get(file.url, query);
    const bytes = Buffer.from(await whole.arrayBuffer());
    const etag = whole.headers.get('etag') ?? '';
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
    const { animation } = await import('../../media/testing/pictures.ts');
    const file = await upload(await (await animation()).toBuffer(), { name: 'Moving.gif' });
    const answer = await get(file.url, 'w=10&format=auto', AVIF);
    expect(answer.headers.get('content-type')).toBe('image/webp');
    const { pages } = await sharp(await answer.arrayBuffer()).metadata();
    expect(pages).toBe(3);
    expect(await sizeOf(await get(file.url, 'w=10&format=avif'))).toEqual([10, 7, 'heif']);
  });

  test('of a video is its poster; playlists and pieces know no parameters', async () => {
    const fields = { client_id: 'v', chunk_number: '0', total_chunks: '1', access: 'public' };
    const answer = await fetch(`${server.url}/files/upload/video/${bucket.id}`, {
      method: 'POST',
      headers: { 'x-api-key': bucket.api_key },
      body: form(
        { ...fields, resolution: '320x180' },
        new Blob([(await clip()) as never]),
        'clip.mp4',
      ),
    });
    const { id } = (await answer.json()) as FileWire;
    const video = await settledFile(server, bucket, id);
    const poster = await get(video.poster ?? '', 'w=160&f=jpeg');
    expect(await sizeOf(poster)).toEqual([160, 90, 'jpeg']);
    expect(poster.headers.get('content-disposition')).toContain('clip-poster.jpg');
    const playlist = await get(video.url ?? '', 'w=160');
    expect([playlist.status, (await playlist.text()).slice(0, 7)]).toEqual([200, '#EXTM3U']);
    expect((await derivatives(id)).length).toBe(1);
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
      for (let again = 0; again < 2; again += 1) {
        const answer = await get(file.url, query, headers);
        expect([query, answer.status, answer.headers.get('content-type')]).toEqual([
          query,
          200,
          type,
        ]);
        expect(answer.headers.get('vary')).toBe('Accept');
        expect(answer.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
      }
    }
  });

  test('may be kept by a CDN that is said to keep such answers apart', async () => {
    const other = await startServer({ CDN_VARIES_ACCEPT: 'yes' });
    try {
      const where = await makeBucket(other, await signUp(other));
      const image = await upload(await photo(), { on: other, where });
      const answer = await get(image.url, 'w=100&f=auto', WEBP);
      expect(answer.headers.get('vary')).toBe('Accept');
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
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
      for (let again = 0; again < 2; again += 1) {
        const answer = await fetch(url);
        expect([url, answer.status, answer.headers.get('x-error-code')]).toEqual([
          url,
          status,
          code,
        ]);
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(answer.headers.get('content-type')).toStartWith('text/plain');
      }
    }
    expect(await (await get(file.url, 'w=0')).text()).toContain('width must be');
    expect(await derivatives(file.id)).toEqual([]);
  });

  test('with an image is told once its making fails, and is not tried again at once', async () => {
    const file = await upload(await photo());
    const run = spyOn(server.services.media, 'run').mockImplementation(() =>
      Promise.reject(
        Object.assign(new Error('no'), { reason: 'It will not do.', permanent: true }),
      ),
    );
    try {
      for (let again = 0; again < 3; again += 1) {
        const answer = await get(file.url, 'w=50');
        expect([answer.status, await answer.text()]).toEqual([422, 'It will not do.']);
        expect(answer.headers.get('cache-control')).toBe('no-store');
      }
      expect(run).toHaveBeenCalledTimes(1);
    } finally {
      run.mockRestore();
    }
    expect(await derivatives(file.id)).toEqual([]);
  });
});

describe('the policy of a bucket', () => {
  test('off refuses every transform, gives back what they took, and lets images be', async () => {
    const where = await makeBucket(server, user, 'Off');
    const file = await upload(await photo(), { where });
    const before = await usage(where);
    expect((await get(file.url, 'w=100')).status).toBe(200);
    expect(await usage(where)).toBeGreaterThan(before);

    const set = await setPolicy('off', where);
    expect([set.status, ((await set.json()) as { transforms: string }).transforms]).toEqual([
      200,
      'off',
    ]);
    for (const query of ['w=100', 'w=200', 'f=auto']) {
      const answer = await get(file.url, query);
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'transforms-off']);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    expect((await get(file.url)).status).toBe(200);
    expect((await get(file.url, 'v=2')).status).toBe(200);
    await tidy();
    expect(await derivatives(file.id)).toEqual([]);
    expect(await usage(where)).toBe(before);

    await setPolicy('open', where);
    expect((await get(file.url, 'w=100')).status).toBe(200);
  });

  test('is its owner’s to set, to what there is', async () => {
    const stranger = await signUp(server);
    expect((await setPolicy('off', bucket, stranger)).status).toBe(404);
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
    const other = await makeBucket(server, user, 'Other');
    const theirs = await token(other);
    const elsewhere = await token(bucket, { fileId: (await upload(await photo())).id });
    const statuses = [];
    for (const jwt of ['', theirs, elsewhere, await token(bucket, {}, 'write'), user.token]) {
      const answer = await get(file.url, jwt ? `${query}&jwt=${jwt}` : query, AVIF);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      statuses.push(answer.status);
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
      for (const jwt of [await token(), await token(bucket, { fileId: file.id })]) {
        for (let again = 0; again < 2; again += 1) {
          const answer = await get(file.url, `jwt=${jwt}&${query}`, AVIF);
          expect([answer.status, answer.headers.get('cache-control')]).toEqual([
            200,
            'private, no-store',
          ]);
          await answer.arrayBuffer();
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
    const answer = await get(file.url, 'q=100&f=png');
    const sources = run.mock.calls.map(([job]) => (job.kind === 'derive' ? job.source : null));
    run.mockRestore();
    const row = await server.services.files.forDelivery(file.id);
    expect(sources).toEqual([`${row?.prefix}${row?.entry}`]);
    const delivered = await sharp(await (await get(file.url)).arrayBuffer())
      .raw()
      .toBuffer();
    const seen = await sharp(await answer.arrayBuffer())
      .removeAlpha()
      .raw()
      .toBuffer();
    expect(seen.equals(delivered)).toBe(true);
    for (const name of ['holiday.jpg', 'original', 'o/holiday.jpg']) {
      const url = file.url.replace(/[^/]+$/, name);
      expect((await get(url, 'w=100')).status).toBe(404);
    }
  });
});

describe('work', () => {
  let run: ReturnType<typeof spyOn<TestServer['services']['media'], 'run'>>;
  afterEach(() => run.mockRestore());

  test('for 40 who ask at once for one derivative is done once', async () => {
    const file = await upload(await photo());
    run = spyOn(server.services.media, 'run');
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => get(file.url, 'w=120&f=webp')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const bodies = await Promise.all(answers.map(async (one) => Bun.hash(await one.arrayBuffer())));
    expect(new Set(bodies).size).toBe(1);
    expect(run).toHaveBeenCalledTimes(1);
    expect((await derivatives(file.id)).length).toBe(1);
    await (await get(file.url, 'w=119&f=webp')).arrayBuffer();
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('beyond what can wait is refused for now, and who leaves makes room', async () => {
    const strip = await photo({ width: 1300, height: 40 });
    const files = [await upload(strip), await upload(strip)] as const;
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const real = server.services.media.run;
    run = spyOn(server.services.media, 'run').mockImplementation(async (job, options) => {
      const left = new Promise<never>((_, reject) => {
        options.signal.addEventListener('abort', () => reject(options.signal.reason));
      });
      await Promise.race([held, left]);
      return real(job, options);
    });
    const abort = new AbortController();
    const waiting = Array.from({ length: 64 }, (_, at) =>
      fetch(`${files[at % 2]?.url}?w=${10 * (at + 1)}`, { signal: abort.signal }).catch(() => null),
    );
    while (run.mock.calls.length < 64) await Bun.sleep(5);
    const refused = await get(files[0].url, 'w=1000&f=webp');
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'unavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect((await get(files[0].url)).status).toBe(200);

    abort.abort();
    await Promise.all(waiting);
    const signals = run.mock.calls.map(([, options]) => options.signal);
    while (!signals.every((signal) => signal.aborted)) await Bun.sleep(5);
    const late = get(files[0].url, 'w=1000&f=webp');
    while (run.mock.calls.length < 65) await Bun.sleep(5);
    letGo();
    expect((await late).status).toBe(200);
    expect((await derivatives(files[0].id)).length).toBe(1);
  });

  test('of one goes on while another still waits', async () => {
    const file = await upload(await photo());
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const real = server.services.media.run;
    run = spyOn(server.services.media, 'run').mockImplementation(async (job, options) => {
      await held;
      return real(job, options);
    });
    const abort = new AbortController();
    const first = fetch(`${file.url}?w=100`, { signal: abort.signal }).catch(() => null);
    while (run.mock.calls.length < 1) await Bun.sleep(5);
    const second = get(file.url, 'w=100');
    await Bun.sleep(50);
    abort.abort();
    await first;
    await Bun.sleep(50);
    expect(run.mock.calls[0]?.[1].signal.aborted).toBe(false);
    letGo();
    expect((await second).status).toBe(200);
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('a file', () => {
  const full = async (file: FileWire & { url: string }) => {
    for (let at = 1; at <= 64; at += 4) {
      const queries = [at, at + 1, at + 2, at + 3].map((one) => `w=${one * 10}`);
      const answers = await Promise.all(queries.map((query) => get(file.url, query)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
  };

  test('is made in 64 ways at most; others are told when there may be room', async () => {
    const file = await upload(await photo({ width: 700, height: 20 }));
    await full(file);
    const refused = await get(file.url, 'w=650');
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'too-many']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(await refused.text()).toContain('64');
    expect((await get(file.url, 'w=640')).status).toBe(200);
    expect((await get(file.url)).status).toBe(200);

    const [idle] = await derivatives(file.id);
    const past = Date.now() - 3_700_000;
    await server.services.database.db
      .updateTable('derivatives')
      .set({ used_at: past })
      .where('id', '=', idle?.id ?? '')
      .execute();
    expect((await get(file.url, 'w=650')).status).toBe(200);
    const rows = await derivatives(file.id);
    expect([rows.length, rows.some(({ id }) => id === idle?.id)]).toEqual([64, false]);
  });

  test('that is asked for in 70 new ways at once is made in 64', async () => {
    const file = await upload(await photo({ width: 800, height: 20 }));
    const ask = async (at: number): Promise<number> => {
      for (;;) {
        const { status } = await get(file.url, `w=${at * 10}`);
        if (status !== 503) return status;
        await Bun.sleep(100);
      }
    };
    const statuses = await Promise.all(Array.from({ length: 70 }, (_, at) => ask(at + 1)));
    expect(statuses.filter((status) => status === 200).length).toBe(64);
    expect(statuses.filter((status) => status === 429).length).toBe(6);
    expect((await derivatives(file.id)).length).toBe(64);
  });

  test('counts its derivatives in its bucket, and takes them with it', async () => {
    const before = await usage();
    const file = await upload(await photo());
    const alone = await usage();
    for (const query of ['w=100', 'w=200', 'f=webp'])
      await (await get(file.url, query)).arrayBuffer();
    const rows = await derivatives(file.id);
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    expect(rows.length).toBe(3);
    expect(await usage()).toBe(alone + bytes);
    const stored = await server.services.objects.open(`${rows[0]?.prefix}${rows[0]?.name}`);
    expect(stored?.size).toBe(rows[0]?.bytes);

    const gone = await fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': bucket.api_key },
    });
    expect(gone.status).toBe(204);
    expect((await get(file.url, 'w=100')).status).toBe(404);
    expect(await derivatives(file.id)).toEqual([]);
    expect(await usage()).toBe(before);
    await tidy();
    for (const row of rows) {
      expect(await server.services.objects.open(row.prefix + row.name)).toBeNull();
    }
  });

  test('that is deleted while a derivative is made leaves nothing of it', async () => {
    const file = await upload(await photo());
    const real = server.services.media.run;
    const run = spyOn(server.services.media, 'run').mockImplementation(async (job, options) => {
      const made = await real(job, options);
      await fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
        method: 'DELETE',
        headers: { 'x-api-key': bucket.api_key },
      });
      return made;
    });
    const answer = await get(file.url, 'w=100');
    const [job] = run.mock.calls[0] ?? [];
    run.mockRestore();
    expect(answer.status).toBe(404);
    await tidy();
    const left = [];
    const prefix = job?.kind === 'derive' ? job.prefix : '';
    for await (const { key } of server.services.objects.list(prefix)) left.push(key);
    expect(left).toEqual([]);
  });
});

test('all derivatives together stay within their bytes: those not asked for longest go', async () => {
  const small = await startServer({ DERIVATIVES_MAX_BYTES: '60000' });
  try {
    const where = await makeBucket(small, await signUp(small));
    const file = await upload(await photo({ width: 800, height: 600 }), { on: small, where });
    const { database, delivery } = small.services;
    const total = async () =>
      (await derivatives(file.id, small)).reduce((sum, row) => sum + row.bytes, 0);
    await (await get(file.url, 'w=100&f=png')).arrayBuffer();
    const [first] = await derivatives(file.id, small);
    for (let width = 110; width <= 200; width += 10) {
      await (await get(file.url, `w=${width}&f=png`)).arrayBuffer();
      await database.db
        .updateTable('derivatives')
        .set({ used_at: Date.now() + width })
        .where('id', '=', first?.id ?? '')
        .execute();
      await delivery.upkeep();
      expect(await total()).toBeLessThanOrEqual(60_000);
    }
    const rows = await derivatives(file.id, small);
    expect(rows.map(({ id }) => id)).toContain(first?.id ?? '');
    expect(rows.map(({ transform }) => transform).join()).toContain('w200');
    expect(rows.map(({ transform }) => transform).join()).not.toContain('w110');
    const { stored_bytes } = await database.db
      .selectFrom('files')
      .select('stored_bytes')
      .where('id', '=', file.id)
      .executeTakeFirstOrThrow();
    const delivered = Number((await get(file.url)).headers.get('content-length'));
    expect(stored_bytes).toBe(delivered + (await total()));
    expect((await get(file.url, 'w=110&f=png')).status).toBe(200);
  } finally {
    await small.stop();
  }
});

test('rows and objects agree after all of this', async () => {
  await tidy();
  const sources = await openForReading(server.config);
  const findings = [];
  for await (const finding of audit(sources, Date.now)) findings.push(finding);
  await sources.database.close();
  expect(findings).toEqual([]);
});
