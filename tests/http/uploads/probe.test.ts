import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ffmpeg } from '../../../media/testing/clips.ts';
import { MIB } from '../../../server/contract/limits.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, user: owner, bucket } = await sharedBucketInProcess();
const folder = await mkdtemp(join(tmpdir(), 'wharf-probe-'));
afterAll(() => rm(folder, { recursive: true }));

type Parts = { file?: Uint8Array; tail?: Uint8Array; more?: Record<string, Uint8Array> };

function probe(
  { file, tail, more = {} }: Parts,
  headers?: Record<string, string>,
  where: { id: string; api_key: string } = bucket,
) {
  const body = new FormData();
  for (const [name, bytes] of Object.entries({ file, tail, ...more })) {
    if (bytes) body.append(name, new Blob([bytes as never]), 'clip.mp4');
  }
  return fetch(`${server.url}/files/resolution/video/${where.id}`, {
    method: 'POST',
    headers: headers ?? { 'x-api-key': where.api_key },
    body,
  });
}

/** Sends the start of a video, and keeps the connection open. */
function startSlowly(start: Uint8Array) {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    [
      `POST /files/resolution/video/${bucket.id} HTTP/1.1`,
      `Host: ${host}`,
      `X-Api-Key: ${bucket.api_key}`,
      'Content-Type: multipart/form-data; boundary=b',
      `Content-Length: ${5 * MIB}`,
      '',
      '--b',
      'Content-Disposition: form-data; name="file"; filename="a.mp4"',
      '',
      '',
    ].join('\r\n'),
  );
  socket.write(start);
  return socket;
}

const codeOf = (response: Response) => response.headers.get('x-error-code');

async function makeClip(name: string, ...options: string[]): Promise<Buffer> {
  const path = join(folder, name);
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=2'];
  await ffmpeg(...picture, '-preset', 'ultrafast', ...options, path);
  return Buffer.from(await Bun.file(path).arrayBuffer());
}

test('a whole small video is answered with its size', async () => {
  const response = await probe({ file: await clip({ width: 640, height: 360 }) });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ resolution: '640x360' });
});

test('a video whose index stands at its end asks for the tail, and is answered with it', async () => {
  const bytes = await clip({ width: 640, height: 360 });
  const index = bytes.lastIndexOf('moov') - 4;
  const file = bytes.subarray(0, index - 1000);
  const first = await probe({ file });
  expect([first.status, codeOf(first)]).toEqual([422, 'need-tail']);
  for (const from of [index, index - 77, Math.floor(index / 2)]) {
    const second = await probe({ file, tail: bytes.subarray(from) });
    expect(await second.text()).toBe(JSON.stringify({ resolution: '640x360' }));
  }
  const useless = await probe({ file, tail: bytes.subarray(index + 100) });
  expect([useless.status, codeOf(useless)]).toEqual([422, 'unreadable-video']);
});

test('the beginning alone tells for an index in front, Matroska, WebM, AVI and MPEG-TS', async () => {
  const more: [string, ...string[]][] = [
    ['front.mp4', '-movflags', 'faststart'],
    ['fragmented.mp4', '-movflags', 'frag_keyframe+empty_moov'],
    ['a.mkv'],
    ['a.webm', '-c:v', 'libvpx', '-deadline', 'realtime'],
    ['a.avi', '-c:v', 'mpeg4'],
    ['a.ts'],
  ];
  for (const [name, ...options] of more) {
    const bytes = await makeClip(name, ...options);
    const response = await probe({ file: bytes.subarray(0, Math.ceil(bytes.length * 0.8)) });
    expect([name, await response.json()]).toEqual([name, { resolution: '320x180' }]);
  }
});

test('a phone held upright is as high as it is seen', async () => {
  const flat = join(folder, 'flat.mp4');
  await makeClip('flat.mp4');
  const turned = join(folder, 'turned.mp4');
  await ffmpeg('-i', flat, '-c', 'copy', '-metadata:s:v', 'rotate=90', turned);
  const response = await probe({ file: await Bun.file(turned).bytes() });
  expect(await response.json()).toEqual({ resolution: '180x320' });
});

test('what is no video, too much, twice or nothing is refused clearly', async () => {
  const video = await clip();
  const cases: [Parts, number, string][] = [
    [{ file: Buffer.from('a text that is long enough to be looked at') }, 415, 'unsupported-type'],
    [{ file: Buffer.concat([video, Buffer.alloc(9 * MIB)]) }, 413, 'too-large'],
    [{}, 400, 'no-file'],
    [{ tail: video }, 400, 'no-file'],
    [{ file: new Uint8Array(0) }, 400, 'no-file'],
    [{ more: { other: video } }, 400, 'bad-request'],
    [{ file: Buffer.concat([video.subarray(0, 32), Buffer.alloc(5000)]) }, 422, 'unreadable-video'],
  ];
  for (const [parts, status, code] of cases) {
    const response = await probe(parts);
    expect([response.status, codeOf(response)]).toEqual([status, code]);
    expect(await response.text()).not.toContain('/tmp');
  }
  const picture = await (await probe({ file: await photo({ width: 32, height: 32 }) })).text();
  expect(picture).toEndWith(
    `It is an image: use Upload Image, or POST /files/upload/image/${bucket.id}.`,
  );
});

test('a video without bytes is called empty', async () => {
  expect(await (await probe({ file: new Uint8Array(0) })).text()).toBe('The file is empty.');
});

test('a session and a write token may ask; a read token, a stranger and nobody may not', async () => {
  const file = await clip();
  const minted = async (scope: string) => {
    const response = await fetch(`${server.url}/buckets/jwt/${bucket.id}/0/${scope}`, {
      method: 'POST',
      headers: owner.authorization,
    });
    return ((await response.json()) as { jwt: string }).jwt;
  };
  const cases: [string | null, number][] = [
    [owner.token, 200],
    [await minted('write'), 200],
    [await minted('read'), 401],
    [(await signUp(server)).token, 404],
    [null, 401],
  ];
  for (const [bearer, status] of cases) {
    const headers: Record<string, string> = bearer ? { authorization: `Bearer ${bearer}` } : {};
    expect((await probe({ file }, headers)).status).toBe(status);
  }
});

test('slow clients of one account keep nobody of another account from it', async () => {
  const { database, clock } = server.services;
  const inProgress = async () => {
    const rows = await database.db.selectFrom('pending_deletes').selectAll().execute();
    return rows.filter((row) => row.started_at === null && row.not_before > clock()).length;
  };
  const video = await clip();
  const before = await inProgress();
  const sockets = Array.from({ length: 8 }, () => startSlowly(video.subarray(0, 10_000)));
  await until(async () => (await inProgress()) === before + 8);

  const other = await createBucket(server, (await signUp(server)).token);
  expect((await probe({ file: video }, undefined, other)).status).toBe(200);
  const refused = await probe({ file: video });
  expect([refused.status, codeOf(refused)]).toEqual([503, 'unavailable']);
  expect(refused.headers.get('retry-after')).toBe('2');

  for (const socket of sockets) socket.destroy();
  await until(async () => (await inProgress()) === before);
  await until(async () => (await probe({ file: video })).status === 200);
});

test('nothing of what was examined stays, and no file is made of it', async () => {
  await probe({ file: await clip() });
  const { database, objects, clock } = server.services;
  const rows = await database.db.selectFrom('pending_deletes').selectAll().execute();
  const isDue = (row: (typeof rows)[0]) => row.started_at !== null || row.not_before <= clock();
  expect(rows.every(isDue)).toBe(true);
  await server.services.housekeeping.round();
  expect(await Array.fromAsync(objects.list(''))).toEqual([]);
  expect(await database.db.selectFrom('files').select('id').execute()).toEqual([]);
});
