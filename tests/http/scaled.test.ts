import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileEvent } from '../../server/contract/events.ts';
import { HOUR, MIB, VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';
import type { BucketDetailWire, FileWire, SessionWire } from '../../server/contract/wire.ts';
import { createBucket, signUp } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { clip, clipOfSize, photo } from '../support/media.ts';
import { nginxPath, startBalancer } from '../support/nginx.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Rgw, startRgw } from '../support/rgw.ts';
import { APP_URL, type Scaled, startScaled } from '../support/scaled.ts';
import { form } from '../support/server.ts';
import { stubbornClient } from '../support/stubborn-client.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(process.env.WHARF_TORTURE === '1' ? 900_000 : 240_000);
const ROUNDS = process.env.WHARF_TORTURE === '1' ? 8 : 1;
const HOURS = 100;
const GIB = 1024 * MIB;
/** Of a GiB that was sent, in micro-dollars. */
const PRICE = 5000;
const SIZES = '320x180,160x90';
const METRICS_TOKEN = 'of-the-tests-for-none';
const postgres = await startPostgres();
const rgw = await startRgw();

describe.skipIf(!postgres || !rgw)('two web and two media processes', () => {
  const database = postgres as Postgres;
  const gateway = rgw as Rgw;
  let scaled: Scaled;
  let session: SessionWire;
  let receiver: Receiver;

  beforeAll(async () => {
    scaled = await startScaled(database, gateway, { METRICS_TOKEN });
    receiver = await startReceiver();
    session = await signUp(scaled.webs[0], 'ada@example.com', 'a harbour at work');
  });
  afterAll(async () => {
    await scaled.stop();
    await receiver.stop();
  });

  const bearer = () => ({ authorization: `Bearer ${session.token}` });
  const key = ({ api_key }: BucketDetailWire) => ({ 'x-api-key': api_key });
  const filesOf = async (bucket: BucketDetailWire) => {
    const answer = await scaled.send(`${APP_URL}/files/${bucket.id}`, { headers: key(bucket) });
    return (await answer.json()) as { data: FileWire[]; jwt: string };
  };
  const settled = (bucket: BucketDetailWire, id: string) =>
    until(async () => {
      const { data, jwt } = await filesOf(bucket);
      const file = data.find((one) => one.id === id && one.status !== 'processing');
      return file && { ...file, jwt };
    });
  const upload = async (
    { url }: { url: string },
    bucket: BucketDetailWire,
    kind: 'image' | 'video',
    fields: Record<string, string>,
    bytes: Uint8Array,
  ) => {
    const chunk = { client_id: crypto.randomUUID(), chunk_number: '0', total_chunks: '1' };
    const answer = await fetch(`${url}/files/upload/${kind}/${bucket.id}`, {
      method: 'POST',
      headers: key(bucket),
      body: form({ ...chunk, ...fields }, new Blob([bytes as never]), 'a.bin'),
    });
    expect(answer.status).toBe(201);
    return (await answer.json()) as FileWire;
  };
  /** Whether a media process is at work on a file at this moment. */
  const encodes = async ({ dataDir }: { dataDir: string }) =>
    (await readdir(join(dataDir, 'work')).catch(() => [])).length > 0;
  /** The same path at one of the processes. */
  const at = ({ url }: { url: string }, path: string | null) => path?.replace(APP_URL, url) ?? '';

  /** As an open page of the user does. */
  const listen = async ({ url }: { url: string }, heard: FileEvent[]) => {
    const address = `${url.replace('http', 'ws')}/ws?user_id=${session.userId}`;
    const cookie = `wharf_session=${session.token}`;
    const socket = new WebSocket(address, { headers: { origin: APP_URL, cookie } } as never);
    socket.onmessage = ({ data }) => heard.push(JSON.parse(data));
    await until(async () => socket.readyState === WebSocket.OPEN, 5);
    return socket;
  };

  test('each do what their role says', async () => {
    const [web] = scaled.webs;
    const [media] = scaled.medias;
    const health = async ({ url }: { url: string }) => (await fetch(`${url}/health`)).json();
    expect(await health(web)).toMatchObject({ status: 'ok', role: 'web' });
    expect(await health(media)).toMatchObject({ status: 'ok', role: 'media' });
    const metrics = (headers: Record<string, string>) => fetch(`${media.url}/metrics`, { headers });
    expect((await metrics({})).status).toBe(401);
    const told = await metrics({ authorization: `Bearer ${METRICS_TOKEN}` });
    expect([told.status, await told.text()]).toEqual([200, expect.stringContaining('wharf_')]);
    for (const path of ['/', '/login', '/buckets', '/docs', '/ws']) {
      expect((await fetch(`${media.url}${path}`)).status).toBe(404);
    }
  });

  test('a page at one web process hears of a file that the other took', async () => {
    const bucket = await createBucket(scaled.webs[0], session.token, 'Heard');
    const heard: FileEvent[] = [];
    const socket = await listen(scaled.webs[1], heard);
    const sent = await upload(
      scaled.webs[0],
      bucket,
      'video',
      { resolution: SIZES },
      await clip({ seconds: 2 }),
    );
    await until(async () => heard.some(({ type }) => type === 'file.success'));
    expect(heard.every(({ fileId }) => fileId === sent.id)).toBe(true);
    const types = heard.map(({ type }) => type);
    expect(types).toContain('file.progress');
    expect(types).toContain('file.playable');
    const progress = heard.map((event) => event.progress);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    socket.close();
  });

  test('what one web process is told holds at the other at once', async () => {
    const [one, other] = scaled.webs;
    const bucket = await createBucket(one, session.token, 'Told');
    const sent = await upload(one, bucket, 'image', { access: 'private' }, await photo());
    const { url, jwt } = await settled(bucket, sent.id);
    const path = `${at(other, url)}?jwt=${jwt}`;
    expect((await fetch(path)).status).toBe(200);
    const rolled = await fetch(`${one.url}/buckets/roll/api-key/${bucket.id}`, {
      method: 'PUT',
      headers: bearer(),
    });
    const { api_key } = (await rolled.json()) as { api_key: string };
    // The word may be on its way for a moment; a cache without it would hold for seconds.
    await until(async () => (await fetch(path)).status === 403, 1);
    const fresh = { ...bucket, api_key };
    const again = `${at(other, url)}?jwt=${(await filesOf(fresh)).jwt}`;
    expect((await fetch(again)).status).toBe(200);
    const removed = { method: 'DELETE', headers: key(fresh) };
    expect((await fetch(`${one.url}/files/${bucket.id}/${sent.id}`, removed)).status).toBe(204);
    await until(async () => (await fetch(again)).status === 404, 1);
  });

  test('deleting a file ends its encoding, wherever that goes on', async () => {
    const [one, other] = scaled.webs;
    const bucket = await createBucket(one, session.token, 'Ended');
    const long = await clip({ seconds: 15, width: 1280, height: 720 });
    const fields = { resolution: '1280x720,854x480,640x360' };
    const { id } = await upload(one, bucket, 'video', fields, long);
    await until(async () => (await filesOf(bucket)).data.some(({ progress }) => progress > 0));
    const [media, otherMedia] = scaled.medias;
    const working = async () => [await encodes(media), await encodes(otherMedia)];
    expect((await working()).filter(Boolean)).toHaveLength(1);
    const removed = { method: 'DELETE', headers: key(bucket) };
    expect((await fetch(`${other.url}/files/${bucket.id}/${id}`, removed)).status).toBe(204);
    await until(async () => !(await working()).some(Boolean), 3);
  });

  test.skipIf(!nginxPath)(
    'behind nginx, with the settings of the guide, nobody who looks notices that a web process is killed',
    async () => {
      const [one, other] = scaled.webs;
      const port = await freePort();
      const front = await startBalancer({ port, webs: [new URL(one.url), new URL(other.url)] });
      try {
        const bucket = await createBucket(one, session.token, 'Behind');
        const send = (url: string, init?: RequestInit) => fetch(at(front, url), init);
        const client = stubbornClient({ url: APP_URL, bucket, send });
        const id = await client.chunked(await clipOfSize(VIDEO_CHUNK_BYTES + MIB), 'two', SIZES);
        await client.tus(await clipOfSize(MIB), SIZES);
        const { url } = await settled(bucket, id);
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
        const heard: FileEvent[] = [];
        const socket = await listen(front, heard);
        await client.image(await photo(), 'heard.jpg');
        await until(async () => heard.some(({ type }) => type === 'file.success'));
        socket.close();
      } finally {
        await front.stop();
      }
    },
  );

  test('while the database is away all answer 503, stay, and come back by themselves', async () => {
    const pids = scaled.all.map((one) => one.pid());
    const back = database.crash(2);
    const [web] = scaled.webs;
    await until(async () => (await fetch(`${web.url}/health`)).status === 503, 5);
    const answer = await fetch(`${web.url}/buckets`, { headers: bearer() });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await answer.text()).toBe('The database does not answer. Try again soon.');
    await back;
    for (const { url } of scaled.all) {
      await until(async () => (await fetch(`${url}/health`)).status === 200, 10);
    }
    expect(scaled.all.map((one) => one.pid())).toEqual(pids);
    // Word goes from process to process again.
    const bucket = await createBucket(web, session.token, 'After');
    const sent = await upload(web, bucket, 'image', {}, await photo());
    expect((await settled(bucket, sent.id)).status).toBe('success');
  });

  test('each killed in its turn, then the database, then the storage: nothing is lost or done twice', async () => {
    const [web] = scaled.webs;
    const bucket = await createBucket(web, session.token, 'Storm');
    await fetch(`${web.url}/buckets/name/webhook/${bucket.id}`, {
      method: 'PUT',
      headers: { ...bearer(), 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Storm', webhook: receiver.url }),
    });
    const hours = await owe(bucket.id);
    const client = stubbornClient({ url: APP_URL, bucket, send: scaled.send });
    const picture = await photo();
    const ids = new Set<string>();
    const looked = { right: 0, wrong: [] as string[] };
    let isOver = false;

    const shown = await upload(web, bucket, 'image', { access: 'private' }, picture);
    const { url, jwt } = await settled(bucket, shown.id);
    const expected = await (await scaled.send(`${url}?jwt=${jwt}`)).bytes();
    const look = async () => {
      for (; !isOver; await Bun.sleep(50)) {
        try {
          const answer = await scaled.send(`${url}?jwt=${jwt}`);
          const bytes = await answer.bytes();
          if (answer.status === 200 && Bun.deepEquals(bytes, expected)) looked.right += 1;
          else looked.wrong.push(`${answer.status} with ${bytes.length} bytes`);
        } catch {
          // Cut off or away: whoever looks comes again.
        }
      }
    };
    const film = await clipOfSize(VIDEO_CHUNK_BYTES + MIB);
    const short = await clipOfSize(2 * MIB);
    const films = async () => {
      for (let n = 0; !isOver || n === 0; n += 1) {
        ids.add(await client.chunked(film, `chunked-${n}`, SIZES));
        ids.add(await client.tus(short, SIZES));
        await Bun.sleep(2000);
      }
    };
    const pictures = async () => {
      for (let n = 0; !isOver; n += 1) {
        ids.add(await client.image(picture, `photo-${n}.jpg`));
        await Bun.sleep(500);
      }
    };
    const load = Promise.all([look(), films(), pictures()]);
    load.catch(() => {});

    for (let round = 0; round < ROUNDS; round += 1) {
      for (const one of scaled.medias) {
        await until(() => encodes(one), 20);
        await one.restart('SIGKILL');
      }
      for (const one of scaled.webs) {
        await Bun.sleep(500 + Math.random() * 1000);
        await one.restart('SIGKILL');
      }
      await Bun.sleep(500);
      await database.crash(1);
      await Bun.sleep(1000);
      await gateway.kill();
      await Bun.sleep(1000);
      await gateway.start();
    }
    isOver = true;
    await load;

    const files = await until(async () => {
      // All of them: a list has pages.
      const rows =
        await scaled.sql`select id, status, error from files where bucket_id = ${bucket.id}`;
      const all = rows as { id: string; status: string; error: string | null }[];
      return all.every(({ status }) => status !== 'processing') && all;
    }, 180);
    expect(files.filter(({ status }) => status !== 'success')).toEqual([]);
    const [{ attempts }] = await scaled.sql`select max(attempts) as attempts from jobs`;
    expect(Number(attempts)).toBeGreaterThan(1);
    expect(looked.wrong).toEqual([]);
    expect(looked.right).toBeGreaterThan(20);
    const there = files.map(({ id }) => id);
    expect([...ids].filter((id) => !id.includes('/') && !there.includes(id))).toEqual([]);

    const jobs =
      await scaled.sql`select subject from jobs where state = 'done' and kind in ('image', 'video')
      and subject in ${scaled.sql(there)}`;
    expect(jobs.map(({ subject }: { subject: string }) => subject).sort()).toEqual(there.sort());
    const told = await until(async () => {
      const told = new Map<string, Set<string>>();
      for (const { id, body } of receiver.received) {
        const file = body.type === 'file.success' ? body.data.file?.id : undefined;
        if (file) told.set(file, (told.get(file) ?? new Set()).add(id));
      }
      return told.size === there.length && told;
    }, 90);
    expect([...told.values()].every((ids) => ids.size === 1)).toBe(true);

    // Whoever was killed at it kept the round for five minutes more: as if they were over.
    await scaled.sql`update charging set lease_until = 0`;
    const charged = await until(async () => {
      const rows = await scaled.sql`select ref, amount from ledger_entries
        where kind = 'charge' and bucket_id = ${bucket.id} and ref in ${scaled.sql(hours)}`;
      return rows.length >= HOURS && rows;
    }, 40);
    const rows = charged as { ref: string; amount: string }[];
    expect(rows.map(({ ref }) => ref).sort()).toEqual(hours.sort());
    expect(rows.every(({ amount }) => Number(amount) === -PRICE)).toBe(true);
    expect(await scaled.audit()).toMatchObject({ findings: [], status: 0 });
  });

  /** As if the bucket had sent a GiB in each of the last hours, not yet charged. Answers the charges to come. */
  async function owe(bucketId: string): Promise<string[]> {
    const now = Math.floor(Date.now() / HOUR) * HOUR;
    const hours = Array.from({ length: HOURS }, (_, back) => now - (back + 2) * HOUR);
    const rows = hours.map((hour) => ({
      bucket_id: bucketId,
      hour,
      bandwidth: GIB,
      uploaded: 0,
      stored_gib_ms: 0,
      stored_byte_ms: 0,
    }));
    await scaled.sql.begin(async (tx) => {
      await tx`insert into usage_hours ${tx(rows)}`;
      await tx`update charging set charged_until = ${Math.min(...hours)}, lease_until = 0`;
    });
    return hours.map((hour) => `charge:${bucketId}:${hour}`);
  }
});
