import { beforeAll, describe, expect, test } from 'bun:test';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, sendFile, waitForFile } from '../../support/client/api.ts';
import { expiredToken } from '../../support/client/forged-tokens.ts';
import { until } from '../../support/client/wait.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { groupBucket } from '../../support/server/group-server.ts';

const CDN = 'http://cdn.test';
const { server, user, bucket } = await groupBucket({ CDN_URL: CDN });
let other: { id: string; api_key: string };
let open: FileWire;
let secret: FileWire;
let image: FileWire;
let failedFile: FileWire;

const ATTRIBUTES = /(?:src|href|data-url|placeholdersrc)="([^"]*)"/g;

const video = (name: string, access: string, bytes: Buffer) => {
  const fields = { access, resolution: '320x180', timeline_preview: 'yes' };
  return sendFile(server, bucket, 'video', fields, bytes, `${name}.mp4`);
};

beforeAll(async () => {
  other = await createBucket(server, user.token, 'Other');
  const bytes = await clip({ seconds: 2 });
  const truncated = bytes.subarray(0, Math.floor(bytes.length / 3));
  const created = [
    await video('open', 'public', bytes),
    await video('secret', 'private', bytes),
    await video('broken', 'public', truncated),
    await sendFile(server, bucket, 'image', { access: 'public' }, await photo(), 'photo.jpg'),
  ];
  [open, secret, failedFile, image] = (await Promise.all(
    created.map(({ id }) => waitForFile(server, bucket, id)),
  )) as [FileWire, FileWire, FileWire, FileWire];
});

const token = ({
  where = bucket,
  seconds,
  ...options
}: {
  where?: { id: string; api_key: string };
  fileId?: string;
  seconds?: number;
  scope?: string;
}) => {
  const expires = seconds === undefined ? 0 : Math.floor(Date.now() / 1000) + seconds;
  return createToken(server, where, { ...options, expires });
};

const visit = (fileId: string, jwt?: string, bucketId = bucket.id) =>
  fetch(`${server.url}/embed/${bucketId}/${fileId}${jwt ? `?jwt=${jwt}` : ''}`, {
    headers: { accept: 'text/html' },
  });

/** Returns the URLs in a page except those of its assets. */
const filesOf = (html: string) =>
  [...new Set([...html.matchAll(ATTRIBUTES)].map(([, url = '']) => url))]
    .map((url) => url.replaceAll('&amp;', '&'))
    .filter((url) => url.startsWith('http'));

describe('the player of a public video', () => {
  test('names its playlist, poster and previews, without a token, even where one is given', async () => {
    for (const jwt of [undefined, 'x.y.z', await token({})]) {
      const page = await visit(open.id, jwt);
      expect(page.status).toBe(200);
      const html = await page.text();
      expect(filesOf(html).sort()).toEqual([open.url, open.poster, open.previews].sort() as never);
      expect(html).not.toContain('data-early');
    }
  });

  test('shows a blurred stand-in and its length before anything else has come', async () => {
    const html = await (await visit(open.id)).text();
    expect(html).toMatch(/placeholdersrc="data:image\/png;base64,[\w+/=]{100,}"/);
    expect(html).toMatch(/defaultduration="2(\.\d+)?"/);
  });

  test('may stand in the frame of any site, loads files from their host, and runs only our script', async () => {
    const { headers } = await visit(open.id);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain('frame-ancestors *');
    for (const name of ['img-src', 'media-src', 'connect-src']) {
      expect(policy).toMatch(new RegExp(`${name} [^;]*${CDN}(;| |$)`));
    }
    expect(policy).toMatch(/script-src 'nonce-[^']+' 'strict-dynamic';/);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('referrer-policy')).toBe('strict-origin');
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('x-frame-options')).toBeNull();
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('tells nothing of who uploaded it and what it was called', async () => {
    const html = await (await visit(open.id)).text();
    expect(html).not.toContain(user.email);
    expect(html).not.toContain('open.mp4');
  });
});

describe('the player of a private video', () => {
  test('comes with a read token of the bucket or of the file, which goes on to all of its files', async () => {
    for (const jwt of [await token({}), await token({ fileId: secret.id, seconds: 60 })]) {
      const page = await visit(secret.id, jwt);
      expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
      const expected = [secret.url, secret.poster, secret.previews].map(
        (url) => `${url}?jwt=${jwt}`,
      );
      expect(filesOf(await page.text()).sort()).toEqual(expected.sort());
      for (const url of expected) {
        const { pathname, search } = new URL(url);
        const file = await fetch(`${server.url}/cdn${pathname}${search}`);
        expect([pathname, file.status]).toEqual([pathname, 200]);
      }
    }
  });

  const refusals: [string, number, () => Promise<string | undefined>][] = [
    ['without a token', 401, async () => undefined],
    ['with an empty token', 401, async () => ''],
    ['with a token that is none', 403, async () => 'x.y.z'],
    ['with a token of another file', 403, () => token({ fileId: open.id })],
    ['with a token of another bucket', 403, () => token({ where: other })],
    ['with a write token', 403, () => token({ scope: 'write' })],
    ['with the bucket’s API key', 403, async () => bucket.api_key],
    ['with a session’s token', 403, async () => user.token],
    ['with a token whose time has passed', 403, () => expiredToken(server, bucket.id)],
  ];
  for (const [name, status, make] of refusals) {
    test(`${name} is a text with ${status}, in the frame, and names no file`, async () => {
      const page = await visit(secret.id, await make());
      expect(page.status).toBe(status);
      expect(page.headers.get('cache-control')).toBe('private, no-store');
      expect(page.headers.get('content-security-policy')).toContain('frame-ancestors *');
      const html = await page.text();
      expect(html).toContain('class="notice"');
      expect(html).toContain(
        status === 401 ? 'This video is private' : 'valid for this video or has expired',
      );
      expect(filesOf(html)).toEqual([]);
      expect(html).not.toContain('<script');
    });
  }

  test('no cookie stands in for the token', async () => {
    const page = await user.client.fetch(`/embed/${bucket.id}/${secret.id}`);
    expect(page.status).toBe(401);
  });

  test('another site’s page under the bucket’s name finds nothing', async () => {
    expect((await visit(secret.id, await token({}), other.id)).status).toBe(404);
    expect((await visit(open.id, undefined, other.id)).status).toBe(404);
  });
});

describe('where there is nothing to play', () => {
  const sentence = async (page: Response) => [
    page.status,
    page.headers.get('x-error-code'),
    page.headers.get('cache-control'),
    /class="notice">([^<]*)</.exec(await page.text())?.[1],
  ];

  test('an unknown or malformed address says so', async () => {
    const deletedText = 'Video not found. It may have been deleted.';
    for (const id of ['0'.repeat(26), 'x', '..%2f..', '%00', 'é']) {
      expect(await sentence(await visit(id))).toEqual([
        404,
        'not-found',
        'private, no-store',
        deletedText,
      ]);
    }
    expect((await visit(open.id, undefined, 'nowhere')).status).toBe(404);
  });

  test('an image is no video', async () => {
    expect(await sentence(await visit(image.id))).toEqual([
      404,
      'not-a-video',
      'private, no-store',
      'This file is not a video.',
    ]);
  });

  test('a video that failed says that, but not to everybody why', async () => {
    expect(failedFile.status).toBe('error');
    const [status, code, , text] = await sentence(await visit(failedFile.id));
    expect([status, code]).toEqual([404, 'not-made']);
    expect(text).not.toContain(failedFile.error ?? 'unset');
  });

  test('a video that is still processed asks again by itself, then plays early; deleted, it is gone at once', async () => {
    // The row of a finished video stands for its states, as an encoder would not wait for this test.
    const { id } = open;
    const become = (state: { status: 'processing' | 'success'; playable: 0 | 1 }) =>
      server.db.updateTable('media').set(state).where('file_id', '=', id).execute();
    const pageWhere = (isRight: (page: Response, html: string) => boolean) =>
      until(async () => {
        const page = await visit(id);
        return isRight(page, await page.text());
      });

    await become({ status: 'processing', playable: 0 });
    const first = await visit(id);
    const html = await first.clone().text();
    expect((await sentence(first)).slice(0, 3)).toEqual([409, 'not-ready', 'private, no-store']);
    expect(html).toMatch(/<meta http-equiv="refresh" content="\d+"/i);
    await become({ status: 'processing', playable: 1 });
    await pageWhere(({ status }, text) => status === 200 && text.includes('data-early=""'));
    await become({ status: 'success', playable: 1 });
    await pageWhere(({ status }, text) => status === 200 && !text.includes('data-early'));
    await fetch(`${server.url}/files/${bucket.id}/${id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': bucket.api_key },
    });
    expect((await visit(id)).status).toBe(404);
  });
});

test('other pages of ours still stand in nobody’s frame', async () => {
  for (const path of ['/', '/login', '/docs', '/nowhere']) {
    const { headers } = await fetch(`${server.url}${path}`, { headers: { accept: 'text/html' } });
    expect([path, headers.get('content-security-policy')]).toEqual([
      path,
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
  }
});
