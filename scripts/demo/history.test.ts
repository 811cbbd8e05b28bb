import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, GIB } from '../../server/contract/limits.ts';
import type { ChartWire, CostsWire, StatementSummaryWire } from '../../server/contract/wire.ts';
import { createBucket, signUp, uploadFile } from '../../tests/support/client/api.ts';
import { photo } from '../../tests/support/fixtures/make-media.ts';
import { startServerProcess } from '../../tests/support/server/server-process.ts';
import { addPast } from './history.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'wharf-demo-history-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const PRICE_PER_GIB = 0.005;

test('what the past of a demo has sent is what its statements charge for', async () => {
  const first = await startServerProcess({ dataDir, env: { SIGNUP_CREDIT: '0' } });
  const { token, authorization } = await signUp(first);
  const bucket = await createBucket(first, token, 'Website');
  for (const name of ['a.jpg', 'b.jpg']) {
    await uploadFile(first, bucket, 'image', { access: 'public' }, await photo(), name);
  }
  await first.stop();
  addPast(dataDir, [bucket.id]);

  const server = await startServerProcess({ dataDir });
  try {
    const read = async <Body>(path: string) =>
      (await (await fetch(server.url + path, { headers: authorization })).json()) as Body;
    const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);
    const today = dayText(Date.now());
    const sentSince = async (from: string) => {
      const days = `from=${from}&to=${today}&chartType=bandwidth&unit=Bytes`;
      return (await read<ChartWire>(`/buckets/chart/${bucket.id}?${days}`)).usage;
    };
    const [month, all] = [
      await sentSince(`${today.slice(0, 7)}-01`),
      await sentSince(dayText(Date.now() - 60 * DAY)),
    ];
    expect(all).toBeGreaterThan(GIB);
    const days = `from=${dayText(Date.now() - 10 * DAY)}&to=${today}&chartType=disk-all&unit=Bytes`;
    const { stats: stored } = await read<ChartWire>(`/buckets/chart/${bucket.id}?${days}`);
    // The older of the two files has been stored for weeks.
    expect(stored[0]?.data).toBeGreaterThan(0);
    expect(stored.at(-1)?.data).toBeGreaterThan(stored[0]?.data ?? 0);
    const { so_far: soFar } = await read<CostsWire>('/billing/costs');
    expect(soFar.bandwidth).toBeCloseTo((month / GIB) * PRICE_PER_GIB, 5);
    const { data } = await read<{ data: StatementSummaryWire[] }>('/billing/statements');
    const charged = data.reduce((sum, one) => sum + one.charged, 0);
    expect(charged).toBeCloseTo((all / GIB) * PRICE_PER_GIB, 4);
    expect(data.every(({ closing }) => closing > 0)).toBe(true);
    expect(data.at(-1)).toMatchObject({ opening: 0, added: 1 });
  } finally {
    await server.stop();
  }
});
