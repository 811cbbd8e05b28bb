import { afterEach, describe, expect, spyOn, test } from 'bun:test';
import { SingleFlight } from '../../../server/features/delivery/transforms/single-flight.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { derivativesAt, get, transforming } from '../../support/client/transforms.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';
import {
  type InProcessServer,
  startServerInProcess,
} from '../../support/server/in-process-server.ts';

const fixture = await groupBucketInProcess();
const { server, bucket } = fixture;
const { upload, derivatives, usage, tidy, disagreements } = transforming(fixture);

describe('work', () => {
  let run: ReturnType<typeof spyOn<InProcessServer['services']['media'], 'run'>>;
  afterEach(() => run.mockRestore());

  test('for 40 who ask at once for one derivative is done once', async () => {
    const file = await upload(await photo());
    run = spyOn(server.services.media, 'run');
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => get(file.url, 'w=120&f=webp')),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const bodies = await Promise.all(
      responses.map(async (one) => Bun.hash(await one.arrayBuffer())),
    );
    expect(new Set(bodies).size).toBe(1);
    expect(run).toHaveBeenCalledTimes(1);
    expect((await derivatives(file.id)).length).toBe(1);
    await (await get(file.url, 'w=119&f=webp')).arrayBuffer();
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('of one bucket beyond what can wait is refused for now, and delays no other bucket', async () => {
    const strip = await photo({ width: 1300, height: 40 });
    const files = [await upload(strip), await upload(strip)] as const;
    const otherBucket = await createBucket(server, fixture.user.token);
    const other = await upload(strip, { where: otherBucket });
    const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
    const real = server.services.media.run.bind(server.services.media);
    run = spyOn(server.services.media, 'run').mockImplementation(async (job, options) => {
      if (job.kind === 'transform' && job.source.includes(other.id)) return real(job, options);
      const abandoned = new Promise<never>((_, reject) => {
        options.signal.addEventListener('abort', () => reject(options.signal.reason));
      });
      await Promise.race([blocked, abandoned]);
      return real(job, options);
    });
    const abort = new AbortController();
    const firstRefusal = Promise.withResolvers<Response>();
    const flood = Array.from({ length: 72 }, async (_, at) => {
      const url = `${files[at % 2]?.url}?w=${10 * (at + 1)}`;
      const response = await fetch(url, { signal: abort.signal }).catch(() => null);
      if (response) firstRefusal.resolve(response);
    });
    const refused = await firstRefusal.promise;
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'unavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect((await get(files[0].url)).status).toBe(200);
    expect((await get(other.url, 'w=100&f=webp')).status).toBe(200);

    abort.abort();
    await Promise.all(flood);
    const signals = run.mock.calls.map(([, options]) => options.signal);
    while (signals.filter(({ aborted }) => aborted).length < signals.length - 1) await Bun.sleep(5);
    release();
  });

  test('of one goes on while another still waits', async () => {
    const file = await upload(await photo());
    const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
    const real = server.services.media.run.bind(server.services.media);
    run = spyOn(server.services.media, 'run').mockImplementation(async (job, options) => {
      await blocked;
      return real(job, options);
    });
    const abort = new AbortController();
    const first = fetch(`${file.url}?w=100`, { signal: abort.signal }).catch(() => null);
    while (run.mock.calls.length < 1) await Bun.sleep(5);
    using join = spyOn(SingleFlight.prototype, 'join');
    const second = get(file.url, 'w=100');
    await until(async () => join.mock.calls.length > 0);
    abort.abort();
    await first;
    await Bun.sleep(50);
    expect(run.mock.calls[0]?.[1].signal.aborted).toBe(false);
    release();
    expect((await second).status).toBe(200);
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('a file', () => {
  test('is made in 64 ways at most, of 70 at once too; others are told when there may be room', async () => {
    const file = await upload(await photo({ width: 800, height: 20 }));
    const requestVariant = async (width: number): Promise<number> => {
      for (;;) {
        const { status } = await get(file.url, `w=${width}`);
        if (status !== 503) return status;
        await Bun.sleep(100);
      }
    };
    const widths = Array.from({ length: 70 }, (_, at) => (at + 1) * 10);
    const statuses = await Promise.all(widths.map(requestVariant));
    const [made, others] = [200, 429].map((status) =>
      widths.filter((_, at) => statuses[at] === status),
    );
    expect([made?.length, others?.length]).toEqual([64, 6]);
    expect((await derivatives(file.id)).length).toBe(64);

    const refused = await get(file.url, `w=${others?.[0]}`);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'too-many']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(await refused.text()).toContain('64');
    expect((await get(file.url, `w=${made?.[0]}`)).status).toBe(200);
    expect((await get(file.url)).status).toBe(200);

    const [idle] = await derivatives(file.id);
    const past = Date.now() - 3_700_000;
    await server.db
      .updateTable('derivatives')
      .set({ used_at: past })
      .where('id', '=', idle?.id ?? '')
      .execute();
    expect((await get(file.url, `w=${others?.[0]}`)).status).toBe(200);
    const rows = await derivatives(file.id);
    expect([rows.length, rows.some(({ id }) => id === idle?.id)]).toEqual([64, false]);
  });

  test('counts its derivatives in its bucket, and takes them with it', async () => {
    const before = await usage();
    const file = await upload(await photo());
    const usageOfFile = await usage();
    for (const query of ['w=100', 'w=200', 'f=webp'])
      await (await get(file.url, query)).arrayBuffer();
    const rows = await derivatives(file.id);
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    expect(rows.length).toBe(3);
    expect(await usage()).toBe(usageOfFile + bytes);
    const stored = await server.services.objects.open(`${rows[0]?.prefix}${rows[0]?.name}`);
    expect(stored?.size).toBe(rows[0]?.bytes);

    const response = await fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': bucket.api_key },
    });
    expect(response.status).toBe(204);
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
    const real = server.services.media.run.bind(server.services.media);
    const run = spyOn(server.services.media, 'run').mockImplementation(async (job, options) => {
      const result = await real(job, options);
      await fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
        method: 'DELETE',
        headers: { 'x-api-key': bucket.api_key },
      });
      return result;
    });
    const response = await get(file.url, 'w=100');
    const [job] = run.mock.calls[0] ?? [];
    run.mockRestore();
    expect(response.status).toBe(404);
    await tidy();
    const outcomes = [];
    const prefix = job?.kind === 'transform' ? job.prefix : '';
    for await (const { key } of server.services.objects.list(prefix)) outcomes.push(key);
    expect(outcomes).toEqual([]);
  });
});

test('all derivatives together stay within their bytes: those not asked for longest go', async () => {
  const small = await startServerInProcess({ DERIVATIVES_MAX_BYTES: '64000' });
  try {
    const where = await createBucket(small, (await signUp(small)).token);
    const file = await upload(await photo({ width: 800, height: 600 }), { on: small, where });
    const { database, delivery } = small.services;
    const total = async () =>
      (await derivativesAt(small, file.id)).reduce((sum, row) => sum + row.bytes, 0);
    await (await get(file.url, 'w=100&f=png')).arrayBuffer();
    const [first] = await derivativesAt(small, file.id);
    for (let width = 110; width <= 200; width += 10) {
      await (await get(file.url, `w=${width}&f=png`)).arrayBuffer();
      await database.db
        .updateTable('derivatives')
        .set({ used_at: Date.now() + width })
        .where('id', '=', first?.id ?? '')
        .execute();
      await delivery.transforms.round();
      expect(await total()).toBeLessThanOrEqual(64_000);
    }
    const rows = await derivativesAt(small, file.id);
    expect(rows.map(({ id }) => id)).toContain(first?.id ?? '');
    expect(rows.map(({ transform }) => transform).join()).toContain('w200');
    expect(rows.map(({ transform }) => transform).join()).not.toContain('w110');
    const { stored_bytes } = await database.db
      .selectFrom('files')
      .select('stored_bytes')
      .where('id', '=', file.id)
      .executeTakeFirstOrThrow();
    const delivered = Number((await get(file.url)).headers.get('content-length'));
    expect(stored_bytes).toBe(file.size + delivered + (await total()));
    expect((await get(file.url, 'w=110&f=png')).status).toBe(200);
  } finally {
    await small.stop();
  }
});

test('rows and objects agree after all of this', async () => {
  expect(await disagreements()).toEqual([]);
});
