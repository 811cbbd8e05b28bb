import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { processesIn } from '../../media/testing/processes.ts';
import { MIB, VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';
import type { FileEvent, FileWire } from '../../server/contract/wire.ts';
import { createBucket, form, sendFile } from '../support/client/api.ts';
import { type Receiver, startReceiver } from '../support/client/receiver.ts';
import { stubbornClient } from '../support/client/stubborn-client.ts';
import { until } from '../support/client/wait.ts';
import { clip, clipOfSize, photo, repeatedClip } from '../support/fixtures/make-media.ts';
import { owe } from '../support/fixtures/owed-hours.ts';
import { isTorture, rounds } from '../support/fixtures/torture.ts';
import { freePort } from '../support/server/free-port.ts';
import {
  APP_URL,
  at,
  keyOf,
  type Scaled,
  scaledUser,
  startScaled,
} from '../support/server/scaled.ts';
import { nginxPath, startBalancer } from '../support/services/nginx.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/services/postgres.ts';
import { type OwnRgw, startOwnRgw } from '../support/services/rgw.ts';

setDefaultTimeout(isTorture ? 3_600_000 : 600_000);
const ROUNDS = rounds(8, 1);
const HOURS = 100;
/** Micro-dollars per GiB of bandwidth. */
const PRICE = 5000;
/** How often files are requested and uploaded while processes are killed. */
const LOOK_INTERVAL_MS = isTorture ? 50 : 200;
const PICTURE_INTERVAL_MS = isTorture ? 500 : 1500;
const SIZES = '320x180,160x90';
const METRICS_TOKEN = 'of-the-tests-for-none';
const postgres = await startOwnPostgres();
const rgw = await startOwnRgw();

describe.skipIf(!postgres || !rgw)('two web and two media processes', () => {
  const database = postgres as OwnPostgres;
  const gateway = rgw as OwnRgw;
  let scaled: Scaled;
  let user: Awaited<ReturnType<typeof scaledUser>>;
  let receiver: Receiver;

  beforeAll(async () => {
    scaled = await startScaled(database, gateway, { METRICS_TOKEN });
    receiver = await startReceiver();
    user = await scaledUser(scaled);
  });
  afterAll(async () => {
    await scaled.stop();
    await receiver.stop();
  });

  /** Whether a media process works on a file at this moment. */
  const encodes = async ({ dataDir }: { dataDir: string }) =>
    processesIn(join(dataDir, 'work'), 'ffmpeg').length > 0;

  test('each do what their role says', async () => {
    const [web] = scaled.webs;
    const [media] = scaled.medias;
    const health = async ({ url }: { url: string }) => (await fetch(`${url}/health`)).json();
    expect(await health(web)).toMatchObject({ status: 'ok', role: 'web' });
    expect(await health(media)).toMatchObject({ status: 'ok', role: 'media' });
    const metrics = (headers: Record<string, string>) => fetch(`${media.url}/metrics`, { headers });
    expect((await metrics({})).status).toBe(401);
    const response = await metrics({ authorization: `Bearer ${METRICS_TOKEN}` });
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining('wharf_'),
    ]);
    for (const path of ['/', '/login', '/buckets', '/docs', '/ws']) {
      expect((await fetch(`${media.url}${path}`)).status).toBe(404);
    }
  });

  test('a page at one web process hears of a file that the other took', async () => {
    const bucket = await createBucket(scaled.webs[0], user.token, 'Heard');
    const events: FileEvent[] = [];
    const socket = await user.listen(scaled.webs[1], events);
    const file = await sendFile(
      scaled.webs[0],
      bucket,
      'video',
      { resolution: SIZES },
      await clip({ seconds: 2 }),
      'a.bin',
    );
    await until(async () => events.some(({ type }) => type === 'file.success'));
    expect(events.every(({ file_id }) => file_id === file.id)).toBe(true);
    const types = events.map(({ type }) => type);
    expect(types).toContain('file.progress');
    expect(types).toContain('file.playable');
    const progress = events.map((event) => event.progress);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    socket.close();
  });

  /** Returns the sizes of all files in a folder. */
  const sizesIn = async (folder: string) => {
    const names = await readdir(folder, { recursive: true });
    return Promise.all(
      names.map((name) =>
        stat(join(folder, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
  };

  const sha256Of = (bytes: Uint8Array) =>
    new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

  test('a chunk may reach another machine than the one before it', async () => {
    const [one, other] = scaled.webs;
    const bucket = await createBucket(one, user.token, 'Chunks');
    const bytes = await clipOfSize(VIDEO_CHUNK_BYTES + 100_000);
    const pieces = [bytes.subarray(0, VIDEO_CHUNK_BYTES), bytes.subarray(VIDEO_CHUNK_BYTES)];
    const send = (server: { url: string }, number: number) =>
      fetch(`${server.url}/files/upload/video/${bucket.id}`, {
        method: 'POST',
        headers: keyOf(bucket),
        body: form(
          { client_id: 'two', chunk_number: String(number), total_chunks: '2', resolution: SIZES },
          new Blob([pieces[number] as never]),
          'a.mp4',
        ),
      });
    expect((await send(one, 0)).status).toBe(202);
    const last = await send(other, 1);
    expect(last.status).toBe(201);
    const { id } = (await last.json()) as FileWire;
    const file = await user.usageOnceSettled(bucket, id);
    expect(file).toMatchObject({ status: 'success', sha256: sha256Of(bytes) });
  });

  test('a client that comes back to another machine gets its upload, with all that had arrived', async () => {
    const [one, other] = scaled.webs;
    const bucket = await createBucket(one, user.token, 'Moved');
    const tus = (method: string, url: string, more: Record<string, string>, body?: BodyInit) =>
      fetch(url, {
        method,
        headers: { 'tus-resumable': '1.0.0', ...keyOf(bucket), ...more },
        body,
      });
    const patch = (url: string, offset: number, body: BodyInit) => {
      const type = { 'content-type': 'application/offset+octet-stream' };
      return tus('PATCH', url, { 'upload-offset': String(offset), ...type }, body);
    };
    const bytes = await clipOfSize(3_000_000);
    const created = await tus('POST', `${one.url}/files/tus/${bucket.id}`, {
      'upload-length': String(bytes.length),
    });
    const path = new URL(created.headers.get('location') ?? '').pathname;
    const first = bytes.subarray(0, 1_000_000) as never;
    expect((await patch(`${one.url}${path}`, 0, first)).status).toBe(204);
    let isReading = false;
    const stalled = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (isReading) return new Promise(() => {});
        isReading = true;
        controller.enqueue(new Uint8Array(bytes.subarray(1_000_000, 1_500_000)));
      },
    });
    const hanging = patch(`${one.url}${path}`, 1_000_000, stalled as never).catch(() => null);
    await until(async () => (await sizesIn(one.dataDir)).includes(500_000));
    const head = await tus('HEAD', `${other.url}${path}`, {});
    const offset = Number(head.headers.get('upload-offset'));
    expect(offset).toBe(1_500_000);
    const rest = await patch(`${other.url}${path}`, offset, bytes.subarray(offset) as never);
    expect(rest.status).toBe(204);
    const file = await user.usageOnceSettled(bucket, rest.headers.get('x-file-id') ?? '');
    expect(file).toMatchObject({ status: 'success', sha256: sha256Of(bytes) });
    await hanging;
  });

  test('what one web process is told of a path holds at the other before its cache is too old', async () => {
    const [one, other] = scaled.webs;
    const bucket = await createBucket(one, user.token, 'Paths');
    const put = async (path: string, text: string) => {
      const fields = { path, on_conflict: 'replace', access: 'public' };
      return sendFile(one, bucket, 'file', fields, new TextEncoder().encode(text), 'a.bin');
    };
    const atOther = async (path: string) => {
      const response = await fetch(`${other.url}/cdn/${bucket.id}/~/${path}`);
      return response.ok ? response.text() : response.status;
    };
    const expectAtOther = async (path: string, text: string) => {
      for (let n = 0; n < 5; n += 1) expect(await atOther(path)).toBe(text);
    };
    const change = async (method: string, id: string, body?: object) => {
      const response = await fetch(`${one.url}/files/${bucket.id}/${id}`, {
        method,
        headers: { ...keyOf(bucket), 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
      });
      expect(response.ok).toBe(true);
    };
    /** Returns whether a row that was cached before all others, and has changed unheard, is still cached after them. */
    const changeInFolder = async (folder: string) => {
      const [page, moved, unheard] = ['page', 'moved', 'unheard'].map(
        (name) => `${folder}/${name}.txt`,
      ) as [string, string, string];
      const { id: unheardId } = await put(unheard, 'cached');
      const moveUnheard = (path: string) =>
        scaled.sql`update files set path = ${path} where id = ${unheardId}`;
      await expectAtOther(unheard, 'cached');
      await moveUnheard(`${folder}/gone.txt`);
      await put(page, 'first');
      await expectAtOther(page, 'first');
      const { id } = await put(page, 'second');
      await until(async () => (await atOther(page)) === 'second');
      await expectAtOther(page, 'second');
      await change('PATCH', id, { path: moved });
      await until(async () => (await atOther(page)) === 404);
      await expectAtOther(moved, 'second');
      await change('DELETE', id);
      await until(async () => (await atOther(moved)) === 404);
      const isCached = (await atOther(unheard)) === 'cached';
      await moveUnheard(unheard);
      return isCached;
    };
    // Where all of that takes longer than a row is cached, it shows nothing.
    let folders = 0;
    await until(() => {
      folders += 1;
      return changeInFolder(`${folders}`);
    });
  });

  test('what one web process is told holds at the other at once', async () => {
    const [one, other] = scaled.webs;
    const bucket = await createBucket(one, user.token, 'Told');
    const file = await sendFile(
      one,
      bucket,
      'image',
      { access: 'private' },
      await photo(),
      'a.bin',
    );
    const { url, jwt } = await user.usageOnceSettled(bucket, file.id);
    const path = `${at(other, url)}?jwt=${jwt}`;
    expect((await fetch(path)).status).toBe(200);
    const rolled = await fetch(`${one.url}/buckets/roll/api-key/${bucket.id}`, {
      method: 'PUT',
      headers: user.bearer,
    });
    const { api_key } = (await rolled.json()) as { api_key: string };
    // The event may take a moment to arrive.
    await until(async () => (await fetch(path)).status === 403);
    const fresh = { ...bucket, api_key };
    const otherUrl = `${at(other, url)}?jwt=${(await user.filesOf(fresh)).jwt}`;
    expect((await fetch(otherUrl)).status).toBe(200);
    const created = await fetch(`${one.url}/buckets/api-keys/${bucket.id}`, {
      method: 'POST',
      headers: { ...user.bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Other', scope: 'read' }),
    });
    const named = (await created.json()) as { id: string; api_key: string };
    const ofKey = `${at(other, url)}?jwt=${(await user.filesOf({ ...bucket, ...named, id: bucket.id })).jwt}`;
    await until(async () => (await fetch(ofKey)).status === 200);
    const keyUrl = `${one.url}/buckets/api-keys/${bucket.id}/${named.id}`;
    await fetch(keyUrl, { method: 'DELETE', headers: user.bearer });
    const list = { headers: keyOf({ ...bucket, api_key: named.api_key }) };
    expect((await fetch(`${other.url}/files/${bucket.id}`, list)).status).toBe(401);
    await until(async () => (await fetch(ofKey)).status === 403);
    expect((await fetch(otherUrl)).status).toBe(200);
    const removed = { method: 'DELETE', headers: keyOf(fresh) };
    expect((await fetch(`${one.url}/files/${bucket.id}/${file.id}`, removed)).status).toBe(204);
    await until(async () => (await fetch(otherUrl)).status === 404);
  });

  test('deleting a file ends its encoding, wherever that goes on', async () => {
    const [one, other] = scaled.webs;
    const bucket = await createBucket(one, user.token, 'Ended');
    const long = await repeatedClip({ seconds: 1, width: 1280, height: 720 }, 15);
    const fields = { resolution: '1280x720' };
    const { id } = await sendFile(one, bucket, 'video', fields, long, 'a.bin');
    const [media, otherMedia] = scaled.medias;
    const working = async () => [await encodes(media), await encodes(otherMedia)].filter(Boolean);
    // Between two runs of the encoder there is a moment without any.
    const busy = await until(async () => {
      const busy = await working();
      return busy.length > 0 && busy;
    });
    expect(busy).toHaveLength(1);
    const removed = { method: 'DELETE', headers: keyOf(bucket) };
    expect((await fetch(`${other.url}/files/${bucket.id}/${id}`, removed)).status).toBe(204);
    await until(async () => (await working()).length === 0);
  });

  test.skipIf(!nginxPath)(
    'behind nginx, with the settings of the guide, nobody who looks notices that a web process is killed',
    async () => {
      const [one, other] = scaled.webs;
      const port = await freePort();
      const front = await startBalancer({ port, webs: [new URL(one.url), new URL(other.url)] });
      try {
        const bucket = await createBucket(one, user.token, 'Behind');
        const send = (url: string, init?: RequestInit) => fetch(at(front, url), init);
        const client = stubbornClient({ url: APP_URL, bucket, send });
        const id = await client.chunked(await clipOfSize(VIDEO_CHUNK_BYTES + MIB), 'two', SIZES);
        await client.tus(await clipOfSize(MIB), SIZES);
        const { url } = await user.usageOnceSettled(bucket, id);
        const statuses = new Set<number>();
        const looking = async () => {
          for (let look = 0; look < 100; look += 1, await Bun.sleep(10)) {
            statuses.add((await fetch(at(front, url))).status);
          }
        };
        const [looked] = [looking(), await Bun.sleep(200)];
        await other.restart('SIGKILL');
        await looked;
        expect([...statuses]).toEqual([200]);
        const events: FileEvent[] = [];
        const socket = await user.listen(front, events);
        await client.image(await photo(), 'heard.jpg');
        await until(async () => events.some(({ type }) => type === 'file.success'));
        socket.close();
      } finally {
        await front.stop();
      }
    },
  );

  test('while the database is away all answer 503, stay, and come back by themselves', async () => {
    const pids = scaled.all.map((one) => one.pid());
    const [web] = scaled.webs;
    await database.crash(async () => {
      await until(async () => (await fetch(`${web.url}/health`)).status === 503);
      const response = await fetch(`${web.url}/buckets`, { headers: user.bearer });
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await response.text()).toBe('The database is not responding. Try again in a moment.');
    });
    for (const { url } of scaled.all) {
      await until(async () => (await fetch(`${url}/health`)).status === 200);
    }
    expect(scaled.all.map((one) => one.pid())).toEqual(pids);
    // Events reach the other processes again.
    const bucket = await createBucket(web, user.token, 'After');
    const file = await sendFile(web, bucket, 'image', {}, await photo(), 'a.bin');
    expect((await user.usageOnceSettled(bucket, file.id)).status).toBe('success');
  });

  test('each killed in its turn, then the database, then the storage: nothing is lost or done twice', async () => {
    const [web] = scaled.webs;
    const bucket = await createBucket(web, user.token, 'Storm');
    await fetch(`${web.url}/buckets/name/webhook/${bucket.id}`, {
      method: 'PUT',
      headers: { ...user.bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Storm', webhook: receiver.url }),
    });
    const days = await owe(scaled.sql, bucket.id, HOURS);
    const client = stubbornClient({ url: APP_URL, bucket, send: scaled.send });
    const picture = await photo();
    const ids = new Set<string>();
    const looked = { right: 0, wrong: [] as string[] };
    let isOver = false;

    const file = await sendFile(web, bucket, 'image', { access: 'private' }, picture, 'a.bin');
    const { url, jwt } = await user.usageOnceSettled(bucket, file.id);
    const expected = await (await scaled.send(`${url}?jwt=${jwt}`)).bytes();
    const look = async () => {
      for (; !isOver; await Bun.sleep(LOOK_INTERVAL_MS)) {
        try {
          const response = await scaled.send(`${url}?jwt=${jwt}`);
          const bytes = await response.bytes();
          if (response.status === 200 && Bun.deepEquals(bytes, expected)) looked.right += 1;
          else looked.wrong.push(`${response.status} with ${bytes.length} bytes`);
        } catch {
          // The connection broke or the server was unavailable, and the client tries again.
        }
      }
    };
    const film = await clipOfSize(VIDEO_CHUNK_BYTES + MIB);
    const short = await clipOfSize(2 * MIB);
    const films = async () => {
      for (let n = 0; !isOver || n === 0; n += 1) {
        ids.add(await client.chunked(film, `chunked-${n}`, SIZES));
        ids.add(await client.tus(short, SIZES));
        await Bun.sleep(4000);
      }
    };
    const pictures = async () => {
      for (let n = 0; !isOver; n += 1) {
        ids.add(await client.image(picture, `photo-${n}.jpg`));
        await Bun.sleep(PICTURE_INTERVAL_MS);
      }
    };
    const load = Promise.all([look(), films(), pictures()]);
    load.catch(() => {});

    for (let round = 0; round < ROUNDS; round += 1) {
      for (const one of scaled.medias) {
        await until(() => encodes(one));
        await one.restart('SIGKILL');
      }
      for (const one of scaled.webs) {
        await Bun.sleep(500 + Math.random() * 1000);
        await one.restart('SIGKILL');
      }
      await Bun.sleep(500);
      await database.crash(() => Bun.sleep(1000));
      await Bun.sleep(1000);
      await gateway.kill();
      await Bun.sleep(1000);
      await gateway.start();
    }
    await until(async () => looked.right > 20);
    isOver = true;
    await load;

    const files = await until(async () => {
      // This reads the database, because the API returns one page at a time.
      const rows =
        await scaled.sql`select id, status, error from files join media on file_id = id where bucket_id = ${bucket.id}`;
      const all = rows as { id: string; status: string; error: string | null }[];
      return all.every(({ status }) => status !== 'processing') && all;
    }, 500);
    expect(files.filter(({ status }) => status !== 'success')).toEqual([]);
    const [{ runs }] = await scaled.sql`select max(attempts + interruptions) as runs from jobs`;
    expect(Number(runs)).toBeGreaterThan(1);
    expect(looked.wrong).toEqual([]);
    const there = files.map(({ id }) => id);
    expect([...ids].filter((id) => !id.includes('/') && !there.includes(id))).toEqual([]);

    const jobs = await scaled.sql`select subject from jobs where state = 'done'
      and kind in ('image', 'video', 'background-image', 'background-video') and subject in ${scaled.sql(there)}`;
    expect(jobs.map(({ subject }: { subject: string }) => subject).sort()).toEqual(there.sort());
    const deliveriesByFile = await until(async () => {
      const deliveriesByFile = new Map<string, Set<string>>();
      for (const { id, body } of receiver.received) {
        const file = body.type === 'file.success' ? body.data.file?.id : undefined;
        if (file) deliveriesByFile.set(file, (deliveriesByFile.get(file) ?? new Set()).add(id));
      }
      return deliveriesByFile.size === there.length && deliveriesByFile;
    });
    expect([...deliveriesByFile.values()].every((ids) => ids.size === 1)).toBe(true);

    const refs = [...days.keys()];
    const charged = await until(async () => {
      const rows = await scaled.sql`select ref, amount from ledger_entries
        where kind = 'charge' and ref in ${scaled.sql(refs)}`;
      return rows.length >= refs.length && rows;
    });
    const rows = charged as { ref: string; amount: string }[];
    expect(new Map(rows.map(({ ref, amount }) => [ref, Number(amount)]))).toEqual(
      new Map([...days].map(([ref, hours]) => [ref, -PRICE * hours])),
    );
    expect(await scaled.audit()).toMatchObject({ findings: [], status: 0 });
  });
});
