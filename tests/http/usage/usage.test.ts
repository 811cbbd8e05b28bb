import { beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { GIB, MIB, MINUTE } from '../../../server/contract/limits.ts';
import type {
  BucketWire,
  ChartWire,
  FileDetailWire,
  FileWire,
} from '../../../server/contract/wire.ts';
import {
  createBucket,
  createToken,
  signUp,
  uploadFile,
  uploadImage,
} from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { makeNoise, photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';
import { startServerProcess } from '../../support/server/server-process.ts';

/** The headers of a response, and what arrives between two looks at the client's socket. */
const SLACK = MIB;
const { server, user, bucket } = await sharedBucketInProcess();
let small: FileWire;
let large: FileWire;

beforeAll(async () => {
  small = await uploadFile(
    server,
    bucket,
    'image',
    { access: 'public', webp: '' },
    await photo(),
    'a.jpg',
  );
  const noise = await makeNoise(24 * MIB);
  large = await uploadFile(
    server,
    bucket,
    'image',
    { access: 'private', webp: '' },
    noise,
    'b.png',
  );
});

const chart = (query = '', headers: Record<string, string> = user.authorization, id = bucket.id) =>
  fetch(`${server.url}/buckets/chart/${id}${query}`, { headers });
const details = async () =>
  (await (
    await fetch(`${server.url}/buckets/${bucket.id}`, { headers: user.authorization })
  ).json()) as BucketWire;

/**
 * Returns by how many bytes the bucket's bandwidth grows during `work`. A large body is counted within a
 * second of its end, so it waits for the first `atLeast` bytes.
 */
async function bytesSentDuring(work: () => Promise<unknown>, atLeast = 0): Promise<number> {
  const bandwidth = async () => {
    await server.services.usage.flush();
    return (await details()).bandwidth;
  };
  const before = await bandwidth();
  await work();
  return until(async () => {
    const bytes = (await bandwidth()) - before;
    return bytes >= atLeast && { bytes };
  }).then(({ bytes }) => bytes);
}

const largeUrl = async () => `${large.url}?jwt=${await createToken(server, bucket)}`;
const get = async (url: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(url, { method, headers });
  return { answer: response, size: (await response.arrayBuffer()).byteLength };
};

/**
 * Reads the beginning of a body, and closes the connection once nothing more arrives. Resolves when the server has
 * given it up too. `arrived` is what the kernel has received beyond what was read; its buffer grows to many MiB on
 * some machines.
 */
async function readPart(
  url: string,
  byteCount: number,
  range = '',
): Promise<{ read: number; arrived: number }> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${range}\r\n`);
  let head = Buffer.alloc(0);
  let total = Number.POSITIVE_INFINITY;
  let read = 0;
  let arrived = 0;
  let inode = '';
  for await (const chunk of socket) {
    if (read > 0) read += chunk.length;
    else {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n') + 4;
      if (end < 4) continue;
      read = head.length - end;
      total = end + Number(/^content-length: (\d+)/im.exec(head.toString('latin1'))?.[1]);
    }
    if (read >= byteCount) {
      const here = socket.localPort ?? 0;
      await until(async () => {
        const atServer = connectionOf('remote', here);
        inode = atServer?.inode ?? inode;
        arrived = socket.bytesRead + (connectionOf('local', here)?.unread ?? 0);
        return arrived >= total || atServer?.isHeldUp;
      });
      break;
    }
    await Bun.sleep(1);
  }
  await until(async () => !hasSocket(inode));
  return { read, arrived };
}

/** A timer of a connection whose other end has no room for more (`get_tcp4_sock` in Linux's net/ipv4/tcp_ipv4.c). */
const PROBES_WINDOW = '04';

/** Returns one end of the connection that has a port at one of its ends, by /proc/net/tcp. */
function connectionOf(end: 'local' | 'remote', port: number) {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  for (const line of lines) {
    const [, local, remote, , queues = '', timer = '', , , , inode = ''] = line.trim().split(/\s+/);
    if (!(end === 'local' ? local : remote)?.endsWith(suffix)) continue;
    const unread = Number.parseInt(queues.split(':')[1] ?? '0', 16);
    return { unread, isHeldUp: timer.startsWith(PROBES_WINDOW), inode };
  }
}

/** Whether this process, in which the server runs, holds a socket. */
const hasSocket = (inode: string) =>
  readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === `socket:[${inode}]`;
    } catch {
      // It was closed since it was listed.
      return false;
    }
  });

describe('bytes sent', () => {
  test('are those of the body, by bucket and by file', async () => {
    const bandwidthOf = async (file: FileWire) => {
      const headers = { 'x-api-key': bucket.api_key };
      const response = await fetch(`${server.url}/files/${bucket.id}/${file.id}`, { headers });
      return ((await response.json()) as FileDetailWire).bandwidth;
    };
    const before = await bandwidthOf(small);
    let size = 0;
    const bytesSent = await bytesSentDuring(async () => {
      size = (await get(small.url ?? '')).size;
    });
    expect(size).toBeGreaterThan(10_000);
    expect(bytesSent).toBe(size);
    const after = await bandwidthOf(small);
    expect([after.month - before.month, after.total - before.total]).toEqual([size, size]);
  });

  test('are the part that was asked for', async () => {
    const range = { range: 'bytes=10-109' };
    expect(await bytesSentDuring(() => get(small.url ?? '', range))).toBe(100);
    const far = { range: `bytes=5-${9 * MIB + 4}` };
    const large = bytesSentDuring(async () => get(await largeUrl(), far), 9 * MIB);
    expect(await large).toBe(9 * MIB);
  });

  test('are none for HEAD, for a copy that is still good, and for a refusal', async () => {
    const etag = (await get(small.url ?? '')).answer.headers.get('etag') ?? '';
    const url = await largeUrl();
    const bytesSent = await bytesSentDuring(async () => {
      const head = await get(url, {}, 'HEAD');
      expect([head.answer.status, head.answer.headers.get('content-length')]).toEqual([
        200,
        String(large.size),
      ]);
      const copy = await get(small.url ?? '', { 'if-none-match': etag });
      expect(copy.answer.status).toBe(304);
      const outside = await get(small.url ?? '', { range: 'bytes=999999999-' });
      expect(outside.answer.status).toBe(416);
      expect((await get(large.url ?? '')).answer.status).toBe(401);
      expect((await get(`${server.url}/cdn/${bucket.id}/${small.id}/no.jpg`)).answer.status).toBe(
        404,
      );
    });
    expect(bytesSent).toBe(0);
  });

  test('of a large file are all of it, and it arrives as it is', async () => {
    const url = await largeUrl();
    const bytesSent = await bytesSentDuring(async () => {
      const body = await (await fetch(url)).arrayBuffer();
      expect(body.byteLength).toBe(large.size);
      const tail = await (await fetch(url, { headers: { range: 'bytes=-9000000' } })).arrayBuffer();
      expect(Buffer.from(body).subarray(-9_000_000).equals(Buffer.from(tail))).toBe(true);
    }, large.size + 9_000_000);
    expect(bytesSent).toBe(large.size + 9_000_000);
  });

  test('of a download that is broken off are what arrived', async () => {
    const url = await largeUrl();
    const aborts: [byteCount: number, range?: string][] = [
      [1],
      [3 * MIB],
      [15 * MIB],
      [1, `range: bytes=0-${8 * MIB - 1}\r\n`],
    ];
    for (const [byteCount, range] of aborts) {
      let part = { read: 0, arrived: 0 };
      const bytesSent = await bytesSentDuring(async () => {
        part = await readPart(url, byteCount, range);
      });
      expect(bytesSent).toBeGreaterThanOrEqual(part.read);
      expect(bytesSent - part.arrived).toBeLessThanOrEqual(SLACK);
    }
  });
});

describe('a bandwidth limit', () => {
  const setLimit = (
    limit: unknown,
    id = bucket.id,
    headers: Record<string, string> = user.authorization,
  ) =>
    fetch(`${server.url}/buckets/bandwidth-limit/${id}`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ limit }),
    });

  test('that is reached stops all delivery of the bucket, and costs nothing more', async () => {
    const other = await createBucket(server, user.token);
    const fields = { access: 'public', webp: '' };
    const theirs = await uploadFile(server, other, 'image', fields, await photo(), 'c.jpg');
    const { size } = await get(small.url ?? '');
    const generated = await get(`${small.url}?width=48`);
    await server.services.usage.flush();
    const used = (await details()).bandwidth;
    expect((await setLimit(used + size)).status).toBe(200);
    expect((await get(small.url ?? '')).answer.status).toBe(200);
    await server.services.usage.flush();

    const urls = [
      small.url ?? '',
      `${small.url}?width=48`,
      `${small.url}?width=49`,
      await largeUrl(),
    ];
    const bytesSent = await bytesSentDuring(async () => {
      for (const url of urls) {
        const { answer } = await get(url);
        expect([answer.status, answer.headers.get('x-error-code')]).toEqual([
          429,
          'bandwidth-limit',
        ]);
        expect(answer.headers.get('cache-control')).toBe('no-store');
        const seconds = Number(answer.headers.get('retry-after'));
        const today = new Date();
        const end = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1);
        expect(Math.abs(Date.now() + seconds * 1000 - end)).toBeLessThan(MINUTE);
        expect((await get(url, {}, 'HEAD')).answer.status).toBe(429);
      }
    });
    expect([bytesSent, generated.answer.status]).toEqual([0, 200]);
    expect((await get(theirs.url ?? '')).answer.status).toBe(200);

    expect(await (await setLimit(null)).json()).toMatchObject({ bandwidth_limit: null });
    expect((await get(small.url ?? '')).answer.status).toBe(200);
  });

  test('is of a month or a day, and one that is left out stays', async () => {
    const change = async (body: unknown) => {
      const response = await fetch(`${server.url}/buckets/bandwidth-limit/${bucket.id}`, {
        method: 'PUT',
        headers: { ...user.authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return response.ok ? response.json() : response.text();
    };
    await change({ limit: GIB, daily_limit: null });
    expect(await change({ daily_limit: GIB })).toMatchObject({
      bandwidth_limit: GIB,
      bandwidth_daily_limit: GIB,
    });
    expect(await change({ daily_limit: 0 })).toStartWith('daily_limit must be a whole number');
    expect(await change({})).toBe('Send limit, daily_limit or both.');
    await change({ limit: null, daily_limit: null });
  });

  test.each([0, -1, 1.5, 'five', 2 ** 50 + 1])('of %p is refused', async (limit) => {
    const response = await setLimit(limit);
    expect([response.status, await response.text()]).toEqual([
      422,
      'limit must be a whole number from 1 to 1125899906842624, or null for no limit.',
    ]);
  });

  test('is set by the owner only', async () => {
    const stranger = await signUp(server);
    expect((await setLimit(null, bucket.id, stranger.authorization)).status).toBe(404);
    expect((await setLimit(null, bucket.id, { 'x-api-key': bucket.api_key })).status).toBe(401);
  });
});

describe('the chart of a bucket', () => {
  const today = new Date().toISOString().slice(0, 10);

  test('is of what is on disk this month, for its owner and for its API key', async () => {
    const { usage } = await details();
    for (const headers of [user.authorization, { 'x-api-key': bucket.api_key }]) {
      const response = await chart('?from=&to=&chartType=&unit=', headers);
      expect(response.status).toBe(200);
      const chartData = (await response.json()) as ChartWire;
      expect(chartData.usage).toBe(usage / 1024);
      expect(chartData.stats[0]?.date).toBe(`${today.slice(0, 8)}01`);
      expect(chartData.stats.at(-1)).toEqual({ date: today, data: usage / 1024 });
    }
  });

  test('holds what is made on the fly, whose bytes count as sent too', async () => {
    const stored = (await details()).usage;
    let size = 0;
    const bytesSent = await bytesSentDuring(async () => {
      size = (await get(`${small.url}?width=64`)).size;
    });
    expect(size).toBeGreaterThan(0);
    expect(bytesSent).toBe(size);
    const { usage } = await details();
    expect(usage).toBe(stored + size);
    const chartData = (await (
      await chart('?chartType=disk-active&unit=Bytes')
    ).json()) as ChartWire;
    expect(chartData.usage).toBe(usage);
  });

  test('counts a deleted file as it was, or not at all', async () => {
    const bytes = await photo({ width: 320, height: 200 });
    const fields = { access: 'public', webp: 'yes' };
    const file = await uploadFile(server, bucket, 'image', fields, bytes, 'gone.jpg');
    const before = (await details()).usage;
    const headers = { 'x-api-key': bucket.api_key };
    await fetch(`${server.url}/files/${bucket.id}/${file.id}`, { method: 'DELETE', headers });
    const after = (await details()).usage;
    expect(after).toBeLessThan(before);
    const usageOf = async (type: string) =>
      ((await (await chart(`?chartType=${type}&unit=Bytes`)).json()) as ChartWire).usage;
    expect(await usageOf('disk-active')).toBe(after);
    expect(await usageOf('disk-all')).toBe(before);
    await server.services.usage.flush();
    expect(await usageOf('bandwidth')).toBe((await details()).bandwidth);
  });

  test('counts requests that are answered with a file, also by 304 and to HEAD, and no errors', async () => {
    const countOf = async (type: string) => {
      await server.services.usage.flush();
      return ((await (await chart(`?chartType=${type}`)).json()) as ChartWire).usage;
    };
    const before = await countOf('requests');
    const { etag } = Object.fromEntries((await fetch(small.url ?? '')).headers);
    expect((await fetch(small.url ?? '', { method: 'HEAD' })).status).toBe(200);
    const headers = { 'if-none-match': etag ?? '' };
    expect((await fetch(small.url ?? '', { headers })).status).toBe(304);
    expect((await fetch(`${small.url}x`)).status).toBe(404);
    expect(await countOf('requests')).toBe(before + 3);
    expect(await countOf('hit-ratio')).toBeGreaterThan(0);
  });

  test.each([
    ['?unit=kib', 'unit must be Bytes, KiB, MiB, GiB or TiB.'],
    [
      '?chartType=disk',
      'chartType must be disk-all, disk-active, bandwidth, requests or hit-ratio.',
    ],
    ['?from=yesterday', 'from must be a day like 2025-12-31.'],
    ['?to=2026-02-31', 'to must be a day like 2025-12-31.'],
    ['?from=2026-02-02&to=2026-02-01', 'from must not be after to.'],
    ['?from=2020-01-01', 'The range can have at most 400 days.'],
  ])('%s is refused with a text', async (query, text) => {
    const response = await chart(query);
    expect([response.status, await response.text()]).toEqual([422, text]);
  });

  test('is for nobody else', async () => {
    const stranger = await signUp(server);
    const theirs = await createBucket(server, stranger.token);
    const token = { authorization: `Bearer ${await createToken(server, bucket)}` };
    expect((await chart('', {})).status).toBe(401);
    expect((await chart('', token)).status).toBe(401);
    expect((await chart('', stranger.authorization)).status).toBe(404);
    expect((await chart('', { 'x-api-key': theirs.api_key })).status).toBe(404);
    expect((await chart('', user.authorization, '0'.repeat(26))).status).toBe(404);
  });
});

describe('the top files', () => {
  const top = (query = '', headers: Record<string, string> = user.authorization, id = bucket.id) =>
    fetch(`${server.url}/buckets/top-files/${id}${query}`, { headers });

  test('are those that were requested, for the owner and the API key, and on the page', async () => {
    const own = await createBucket(server, user.token);
    const file = await uploadFile(
      server,
      own,
      'image',
      { access: 'public', webp: '' },
      await photo(),
      'asked.jpg',
    );
    const page = async () =>
      (
        await user.client.fetch(`/dashboard/bucket/${own.id}`, { headers: { accept: 'text/html' } })
      ).text();
    expect(await page()).toContain('The most requested files appear here');
    const { size } = await get(file.url ?? '');
    expect((await get(file.url ?? '', {}, 'HEAD')).answer.status).toBe(200);
    await server.services.usage.flush();
    await server.services.usage.topFiles.write();
    const files = [
      { id: file.id, name: 'asked.jpg', requests: 2, bytes: size, is_estimate: false },
    ];
    expect(await (await top('', undefined, own.id)).json()).toEqual({ files });
    expect(await (await top('', { 'x-api-key': own.api_key }, own.id)).json()).toEqual({ files });
    expect(await page()).toContain(`/dashboard/files/${own.id}?file=${file.id}`);
    expect((await top('?from=2020-01-01&to=2020-01-31', undefined, own.id)).status).toBe(200);
    const response = await top('?from=2020-01-01', undefined, own.id);
    expect([response.status, await response.text()]).toEqual([
      422,
      'The range can have at most 92 days.',
    ]);
  });

  test('are for nobody else', async () => {
    const stranger = await signUp(server);
    const theirs = await createBucket(server, stranger.token);
    const token = { authorization: `Bearer ${await createToken(server, bucket)}` };
    expect((await top('', {})).status).toBe(401);
    expect((await top('', token)).status).toBe(401);
    expect((await top('', stranger.authorization)).status).toBe(404);
    expect((await top('', { 'x-api-key': theirs.api_key })).status).toBe(404);
  });
});

test('a server that is killed loses only what was sent since it last wrote, and one that is stopped nothing', async () => {
  const host = await startServerProcess({ isQuick: true });
  try {
    const { token } = await signUp(host);
    const own = await createBucket(host, token, 'Metered');
    const image = new File([(await photo()) as never], 'a.jpg', { type: 'image/jpeg' });
    const { url } = await uploadImage(host, own, image);
    const download = async () => (await get(url ?? '')).size;
    const bandwidth = async () =>
      (
        (await (
          await fetch(`${host.url}/buckets/${own.id}`, {
            headers: { authorization: `Bearer ${token}` },
          })
        ).json()) as BucketWire
      ).bandwidth;

    const size = await download();
    await host.restart('SIGTERM');
    expect(await bandwidth()).toBe(size);

    let total = size;
    // It writes every second, and tells what is written.
    const bandwidthBefore = await until(async () => {
      total += await download();
      const written = await bandwidth();
      return written > size && written;
    });
    total += await download();
    await host.restart('SIGKILL');
    const bandwidthAfter = await bandwidth();
    expect(bandwidthAfter).toBeGreaterThanOrEqual(bandwidthBefore);
    expect(bandwidthAfter).toBeLessThanOrEqual(total);
    expect((bandwidthAfter - size) % size).toBe(0);
  } finally {
    await host.stop();
  }
});
