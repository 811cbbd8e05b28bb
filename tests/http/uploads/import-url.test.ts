import { afterAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { KIB, MIB } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { bucketCounters } from '../../../server/features/buckets/service.ts';
import {
  createBucket,
  createToken,
  listFiles,
  signUp,
  waitForFile,
} from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServer } from '../../support/server/server.ts';
import { tracesOf } from '../../support/server/stored-objects.ts';
import { startFileSource } from '../../support/services/file-source.ts';

const MAX = 3 * MIB;
const ENV = { WEBHOOK_ALLOW_PRIVATE: 'yes', MAX_FILE_BYTES: String(MAX) };
const server = await sharedServer(ENV);
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const { refused } = tracesOf(server);
const source = await startFileSource();
afterAll(() => source.stop());

type Headers = Record<string, string>;
const keyOf = (of = bucket): Headers => ({ 'x-api-key': of.api_key });
const send = (
  body: unknown,
  {
    headers = keyOf(),
    id = bucket.id,
    ...rest
  }: { headers?: Headers; id?: string } & RequestInit = {},
) =>
  fetch(`${server.url}/files/import/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...rest,
  });
async function imported(
  body: unknown,
  options: Parameters<typeof send>[1] = {},
): Promise<FileWire> {
  const response = await send(body, options);
  const text = await response.text();
  expect([response.status, text]).toEqual([201, expect.any(String)]);
  return JSON.parse(text);
}
const bytesOf = async ({ url }: FileWire) =>
  Buffer.from(await (await fetch(url ?? '')).arrayBuffer());
const codeOf = async (response: Response) => [
  response.status,
  response.headers.get('x-error-code'),
  await response.text(),
];
/** A server that never ends what it sends, in pieces that its client takes. */
const endless = (response: import('node:http').ServerResponse) => {
  const piece = Buffer.alloc(64 * KIB, 'a');
  const pump = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.writeHead(200).on('drain', pump);
  pump();
};

describe('a file from a URL', () => {
  test('is stored as an upload of its bytes is, under the name in the URL', async () => {
    const bytes = randomBytes(MIB);
    const url = source.serve('/models/Model%20weights.bin', bytes);
    const file = await imported({ url: `${url}?token=secret`, access: 'public' });
    expect(file).toMatchObject({
      ...{ name: 'Model weights.bin', path: 'Model weights.bin', file_type: 'file' },
      ...{ status: 'success', size: bytes.length, access: 'public' },
      ...{ sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') },
    });
    expect((await bytesOf(file)).equals(bytes)).toBe(true);
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('is named as its server says, and is put where the call says', async () => {
    const disposition = `attachment; filename="x.bin"; filename*=UTF-8''K%C3%A4fer.txt`;
    const url = source.serve('/named', 'hello', { 'content-disposition': disposition });
    expect(await imported({ url, folder: 'in/here' })).toMatchObject({
      ...{ name: 'Käfer.txt', path: 'in/here/Käfer.txt' },
    });
    expect(await imported({ url, path: 'in/there.csv', access: 'private' })).toMatchObject({
      ...{ path: 'in/there.csv', content_type: 'text/csv; charset=utf-8', access: 'private' },
    });
    // Names with folders in them stay names.
    const evil = source.serve('/evil', 'a', {
      'content-disposition': 'attachment; filename="../../etc/passwd"',
    });
    expect((await imported({ url: evil })).path).toBe('passwd');
    const nameless = source.serve('/', 'a');
    expect((await imported({ url: nameless })).path).toBe('file');
  });

  test('can be empty, and can have no length', async () => {
    const empty = source.serve('/empty.txt', '');
    expect(await imported({ url: empty })).toMatchObject({ size: 0, status: 'success' });
    const url = source.serve('/unknown.txt', (response) => {
      response.write('hel');
      response.end('lo');
    });
    expect(String(await bytesOf(await imported({ url })))).toBe('hello');
  });

  test('follows redirects, and takes the name of what they lead to', async () => {
    const to = source.serve('/store/final.txt', 'there');
    const url = source.serve('/go', (response) => response.writeHead(302, { location: to }).end());
    const file = await imported({ url });
    expect([file.name, String(await bytesOf(file))]).toEqual(['final.txt', 'there']);
  });

  test('of an image or a video is processed, or stays as it is with optimize=no', async () => {
    const [image, video] = [await photo(), await clip({ seconds: 1 })];
    const imageUrl = source.serve('/harbour.jpg', image);
    // What the server calls it does not count.
    const videoUrl = source.serve('/clip', video, { 'content-type': 'text/html' });
    const processing = [
      await imported({ url: imageUrl, webp: 'yes' }),
      await imported({ url: videoUrl, resolution: '320x180' }),
    ];
    expect(processing.map(({ file_type, status }) => [file_type, status])).toEqual([
      ['image', 'processing'],
      ['video', 'processing'],
    ]);
    const [photoFile, clipFile] = [
      await waitForFile(server, bucket, processing[0]?.id ?? ''),
      await waitForFile(server, bucket, processing[1]?.id ?? ''),
    ];
    expect([photoFile.status, photoFile.url?.endsWith('.webp')]).toEqual(['success', true]);
    expect([clipFile.status, clipFile.url?.endsWith('.m3u8')]).toEqual(['success', true]);
    const exact = await imported({ url: videoUrl, optimize: 'no' });
    expect([exact.file_type, exact.status]).toEqual(['file', 'success']);
    expect((await bytesOf(exact)).equals(video)).toBe(true);
    const exactImage = await imported({ url: imageUrl, optimize: 'no' });
    const done = await waitForFile(server, bucket, exactImage.id);
    expect((await bytesOf(done)).equals(image)).toBe(true);
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('is counted and told as an upload', async () => {
    const own = await createBucket(server, user.token);
    const url = source.serve('/counted.bin', 'abcd');
    await imported({ url }, { id: own.id, headers: keyOf(own) });
    const counters = server.db
      .selectFrom('buckets')
      .select(bucketCounters)
      .where('id', '=', own.id);
    expect(await counters.executeTakeFirstOrThrow()).toMatchObject({ usage: 4, total_uploads: 1 });
  });
});

describe('where another file is at the path', () => {
  test('it gets a number, replaces that file, or is refused without being downloaded', async () => {
    const url = source.serve('/same.txt', 'one');
    const first = await imported({ url });
    expect((await imported({ url })).path).toBe('same (2).txt');
    source.serve('/same.txt', 'two');
    const replaced = await imported({ url, on_conflict: 'replace' });
    expect([replaced.path, String(await bytesOf(replaced))]).toEqual(['same.txt', 'two']);
    expect((await fetch(first.url ?? '')).status).toBe(404);
    const download = source.serve('/never-ends.txt', endless);
    await refused(() => send({ url: download, path: 'same.txt' }), 409, /Another file is at/);
    await refused(
      () =>
        send(
          { url: download, path: 'same.txt' },
          { headers: { ...keyOf(), 'if-none-match': '*' } },
        ),
      412,
      /./,
    );
  });
});

describe('it is refused, and leaves nothing behind,', () => {
  const setRules = (id: string, rules: unknown) =>
    fetch(`${server.url}/buckets/upload-rules/${id}`, {
      method: 'PUT',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify(rules),
    });

  test('where it is larger than the server or the bucket accepts, also without a length', async () => {
    const announced = source.serve('/large.bin', (response) =>
      response.writeHead(200, { 'content-length': MAX + 1 }).write('a'.repeat(8 * KIB)),
    );
    await refused(() => send({ url: announced }), 413, /Files can be at most 3 MiB\./);
    const url = source.serve('/endless.bin', endless);
    await refused(() => send({ url }), 413, /Files can be at most 3 MiB\./);
    const own = await createBucket(server, user.token);
    const to = { id: own.id, headers: keyOf(own) };
    await setRules(own.id, { allowed_types: [], max_file_bytes: KIB, storage_limit: null });
    await refused(() => send({ url }, to), 413, /only accepts files of at most 1.00 KiB/);
    await setRules(own.id, {
      allowed_types: ['image/*'],
      max_file_bytes: null,
      storage_limit: null,
    });
    await refused(() => send({ url }, to), 415, /only accepts image/);
    await setRules(own.id, { allowed_types: [], max_file_bytes: null, storage_limit: KIB });
    const unknown = source.serve('/two-kib.bin', (response) => {
      response.write('a'.repeat(KIB));
      response.end('a'.repeat(KIB));
    });
    await refused(() => send({ url: unknown }, to), 403, /storage limit/);
  });

  test('where it is cut off, is no file, or is sent compressed', async () => {
    const cut = source.serve('/cut.bin', (response) => {
      response.writeHead(200, { 'content-length': 9 });
      response.write('hello', () => response.destroy());
    });
    await refused(
      () => send({ url: cut }),
      422,
      /^The file could not be downloaded\. The connection was closed before the whole file arrived\.$/,
    );
    const missing = { url: `${source.url}/missing` };
    await refused(() => send(missing), 422, /The server responded with 404\./);
    const coded = source.serve('/coded', 'x', { 'content-encoding': 'br' });
    await refused(() => send({ url: coded }), 422, /sent the file compressed/);
    expect((await codeOf(await send(missing))).slice(0, 2)).toEqual([422, 'download-failed']);
  });

  test('where its URL leads elsewhere than to the web', async () => {
    const to = (location: string) =>
      source.serve(`/to-${encodeURIComponent(location)}`, (response) =>
        response.writeHead(307, { location }).end(),
      );
    for (const url of [
      ...['file:///etc/passwd', 'ftp://example.com/a', 'data:,hello', 'gopher://example.com/'],
      ...['http://169.254.169.254/latest/meta-data/', 'http://ana:secret@example.com/'],
      to('file:///etc/passwd'),
      to('http://169.254.169.254/latest/meta-data/'),
    ]) {
      await refused(() => send({ url }), 422, /^The file could not be downloaded\. /);
    }
    const loop = source.serve('/loop', (response) =>
      response.writeHead(301, { location: '/loop' }).end(),
    );
    await refused(() => send({ url: loop }), 422, /redirects more than 5 times/);
    for (const url of ['', 'no url', '/files', 'x'.repeat(9000)]) {
      await refused(() => send({ url }), 422, /^url must be/);
    }
  });

  test('where its fields are wrong, and then nothing is downloaded', async () => {
    const url = source.serve('/fields.txt', 'a');
    for (const [fields, text] of [
      [{ path: 'a', folder: 'b' }, /path or folder/],
      [{ path: '../a' }, /./],
      [{ access: 'secret' }, /access must be/],
      [{ on_conflict: 'keep' }, /on_conflict must be/],
      [{ optimize: 'no', webp: 'yes' }, /don't send webp/],
      [{ resolution: 'large' }, /resolution must be/],
    ] as const) {
      await refused(() => send({ url, ...fields }), 422, text);
    }
    expect(source.requested).not.toContain('/fields.txt');
  });
});

describe('of those who may not upload', () => {
  test('nobody imports, and a write token replaces nothing', async () => {
    const url = source.serve('/theirs.txt', 'a');
    const stranger = await signUp(server);
    const theirs = await createBucket(server, stranger.token);
    const read = await createToken(server, bucket);
    for (const [headers, status] of [
      [{}, 401],
      [{ authorization: `Bearer ${read}` }, 401],
      [stranger.authorization, 404],
      [keyOf(theirs), 404],
    ] as const) {
      const response = await send({ url }, { headers });
      expect(response.status).toBe(status);
    }
    expect(source.requested).not.toContain('/theirs.txt');
    const write = await createToken(server, bucket, { scope: 'write' });
    const headers = { authorization: `Bearer ${write}` };
    expect((await send({ url, on_conflict: 'replace' }, { headers })).status).toBe(401);
    expect((await imported({ url }, { headers })).name).toBe('theirs.txt');
    expect((await imported({ url, folder: 'own' }, { headers: user.authorization })).path).toBe(
      'own/theirs.txt',
    );
  });

  test('an import ends when its key is replaced, and when its client goes away', async () => {
    const own = await createBucket(server, user.token);
    const to = { id: own.id, headers: keyOf(own) };
    const { url, requests } = source.serveSlowly('/slow.bin', Buffer.alloc(8 * KIB));
    const revoked = send({ url }, to);
    await until(async () => requests.length === 1);
    await fetch(`${server.url}/buckets/roll/api-key/${own.id}`, {
      method: 'PUT',
      headers: user.authorization,
    });
    expect((await codeOf(await revoked)).slice(0, 2)).toEqual([401, 'unauthorized']);
    await requests[0];
    const leaving = new AbortController();
    const left = send({ url }, { ...to, headers: user.authorization, signal: leaving.signal });
    await until(async () => requests.length === 2);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await requests[1];
    expect((await listFiles(server, { ...own, api_key: user.token })).data).toEqual([]);
  });
});

test('of an account four run and sixteen wait, and those of others go on', async () => {
  const hoarder = await signUp(server);
  const own = await createBucket(server, hoarder.token);
  const { url, requests } = source.serveSlowly('/hoarded.bin', Buffer.alloc(8 * KIB));
  const stop = new AbortController();
  const to = { id: own.id, headers: keyOf(own), signal: stop.signal };
  const calls = Array.from({ length: 21 }, () => send({ url }, to));
  const outcomes = Promise.allSettled(calls);
  const refusal = await Promise.race(calls);
  expect([refusal.status, refusal.headers.get('retry-after')]).toEqual([429, '10']);
  await until(async () => requests.length === 4);
  expect((await imported({ url: source.serve('/others.txt', 'a') })).status).toBe('success');
  // None of those that wait has taken a fifth place meanwhile.
  expect(requests).toHaveLength(4);
  stop.abort();
  await outcomes;
  await Promise.all(requests.slice());
}, 600_000);

test('without leave of whoever runs the server no import reaches an inner address', async () => {
  const guarded = await sharedServer();
  const owner = await signUp(guarded);
  const { id } = await createBucket(guarded, owner.token);
  const url = source.serve('/inner.txt', 'secret');
  const { port } = new URL(url);
  for (const inner of [
    url,
    `http://localhost:${port}/inner.txt`,
    `http://2130706433:${port}/inner.txt`,
  ]) {
    const response = await fetch(`${guarded.url}/files/import/${id}`, {
      method: 'POST',
      headers: { ...owner.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ url: inner }),
    });
    expect(await codeOf(response)).toEqual([
      422,
      'download-failed',
      'The file could not be downloaded. The host resolves to an address that is not public.',
    ]);
  }
  expect(source.requested).not.toContain('/inner.txt');
});
