import { describe, expect, test } from 'bun:test';
import { createBucket, signUp, uploadFile } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import {
  sharedServerInProcess,
  startServerInProcess,
} from '../../support/server/in-process-server.ts';

const TOKEN = 'a token for the metrics';
const METRICS_TOKEN = TOKEN.replaceAll(' ', '-');

const server = await sharedServerInProcess({ METRICS_TOKEN });

const getMetrics = (authorization?: string, url = server.url) =>
  fetch(`${url}/metrics`, { headers: { ...(authorization && { authorization }) } });

/** Returns each sample by its name and labels, exactly as in the text. */
async function read(): Promise<Map<string, number>> {
  const text = await (await getMetrics(`Bearer ${METRICS_TOKEN}`)).text();
  const lines = text.split('\n').filter((line) => line && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

describe('/metrics', () => {
  test('is for who has the token alone', async () => {
    for (const authorization of [undefined, 'Bearer nonsense', `Basic ${METRICS_TOKEN}`]) {
      const response = await getMetrics(authorization);
      expect([response.status, (await response.text()).includes('wharf_')]).toEqual([401, false]);
    }
    const user = await signUp(server);
    expect((await getMetrics(user.authorization.authorization)).status).toBe(401);
    const response = await getMetrics(`Bearer ${METRICS_TOKEN}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('is not there where there is no token', async () => {
    const other = await startServerInProcess();
    try {
      expect((await getMetrics(undefined, other.url)).status).toBe(404);
      expect((await getMetrics('Bearer ', other.url)).status).toBe(404);
    } finally {
      await other.stop();
    }
  });

  test('tells of requests by route and status, bytes, work, jobs, cache and the event loop', async () => {
    const before = await read();
    const increaseOf = (after: Map<string, number>, name: string) =>
      (after.get(name) ?? 0) - (before.get(name) ?? 0);
    const user = await signUp(server);
    const bucket = await createBucket(server, user.token);
    const bytes = await photo({ width: 200, height: 100 });
    const file = await uploadFile(
      server,
      bucket,
      'image',
      { access: 'public', webp: '' },
      bytes,
      'a.jpg',
    );
    let sentBytes = 0;
    for (let n = 0; n < 3; n += 1) {
      sentBytes += (await (await fetch(file.url ?? '')).arrayBuffer()).byteLength;
    }
    await fetch(file.url ?? '', { method: 'HEAD' });
    await fetch(`${server.url}/buckets/nothing-${crypto.randomUUID()}`, {
      headers: user.authorization,
    });
    await fetch(`${server.url}/nowhere/${crypto.randomUUID()}`);
    // A response is counted after it was sent, and the last one last.
    const missing = 'wharf_http_requests_total{method="GET",route="none",status="404"}';
    const after = await until(async () => {
      const now = await read();
      return increaseOf(now, missing) > 0 && now;
    });
    const requests = (method: string, route: string, status: number) =>
      increaseOf(
        after,
        `wharf_http_requests_total{method="${method}",route="${route}",status="${status}"}`,
      );
    expect(requests('GET', '/cdn/*', 200)).toBe(3);
    expect(requests('HEAD', '/cdn/*', 200)).toBe(1);
    expect(requests('POST', '/files/upload/image/:bucketID', 201)).toBe(1);
    expect(requests('GET', '/buckets/:bucketID', 200)).toBe(1);
    expect(requests('GET', '/buckets/:bucketID', 404)).toBe(1);
    expect(requests('GET', 'none', 404)).toBe(1);
    expect(increaseOf(after, 'wharf_bytes_out_total')).toBe(sentBytes);
    expect(increaseOf(after, 'wharf_bytes_in_total')).toBe(bytes.length);
    expect(
      increaseOf(after, 'wharf_cache_hits_total') + increaseOf(after, 'wharf_cache_misses_total'),
    ).toBe(4);
    expect(increaseOf(after, 'wharf_cache_hits_total')).toBeGreaterThan(0);
    expect(increaseOf(after, 'wharf_encode_jobs_total{kind="image"}')).toBe(1);
    expect(increaseOf(after, 'wharf_encode_seconds_total{kind="image"}')).toBeGreaterThan(0);
    expect(after.get('wharf_usage_unfolded_seconds')).toBe(0);
    expect(after.get('wharf_event_loop_delay_seconds{quantile="0.99"}')).toBeGreaterThan(0);

    const time = 'wharf_http_request_duration_seconds';
    const cdn = 'method="GET",route="/cdn/*"';
    expect(increaseOf(after, `${time}_count{${cdn}}`)).toBe(3);
    expect(increaseOf(after, `${time}_bucket{${cdn},le="+Inf"}`)).toBe(3);
    const upTo = [...after]
      .filter(([name]) => name.startsWith(`${time}_bucket{${cdn},`))
      .map(([, value]) => value);
    expect(upTo).toEqual(upTo.toSorted((a, b) => a - b));
    expect(increaseOf(after, `${time}_sum{${cdn}}`)).toBeGreaterThan(0);
    expect([...after.keys()].join('\n')).not.toContain(bucket.id);
  });

  test('tells how many jobs wait, run and have failed', async () => {
    const { database, queue } = server.services;
    await database.transaction((tx) =>
      queue.add(tx, { kind: 'nobody-does-it', subject: 's', payload: {} }),
    );
    const name = (state: string) => `wharf_jobs{state="${state}",kind="nobody-does-it"}`;
    expect((await read()).get(name('queued'))).toBe(1);
    await database.db
      .updateTable('jobs')
      .set({ state: 'failed' })
      .where('kind', '=', 'nobody-does-it')
      .execute();
    const after = await read();
    expect([after.get(name('failed')), after.get(name('queued'))]).toEqual([1, undefined]);
  });

  test('has as many routes as there are, whatever is asked for', async () => {
    for (let n = 0; n < 300; n += 1) {
      await fetch(`${server.url}/${crypto.randomUUID()}`, { method: n % 2 ? 'GET' : 'POST' });
    }
    const routes = new Set([...server.services.counts.routes.values()].map(({ route }) => route));
    expect(routes.size).toBeLessThan(60);
    for (const route of routes) expect(route).toMatch(/^(none|\/[a-z:/*.-]*)$/i);
  });
});
