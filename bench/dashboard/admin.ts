import { join } from 'node:path';
import { KIB } from '../../server/contract/limits.ts';
import { openSqlite } from '../../server/platform/db/sqlite/open.ts';
import { createBucket, signUp, uploadImage } from '../../tests/support/client/api.ts';
import { until } from '../../tests/support/client/wait.ts';
import { startServerProcess } from '../../tests/support/server/server-process.ts';
import { makeImage } from '../fixtures.ts';
import { median } from '../measurement.ts';
import type { PartOptions } from '../targets.ts';
import { type SeedSize, seedDatabase } from './admin-seed.ts';

const ADMIN = 'admin@example.org';
/** The most milliseconds that the median of a call may take. */
const MAX_LIST_MS = 50;
const MAX_OVERVIEW_MS = 200;
/**
 * With a million files a server aggregates and checks before it answers, and aggregating all days takes a
 * while.
 */
const START_TIMEOUT_MS = 120_000;
const TOTALS_TIMEOUT_S = 600;

const CALLS: [path: string, atMost: number][] = [
  ['/admin/buckets', MAX_LIST_MS],
  ['/admin/buckets?cursor=MIDDLE', MAX_LIST_MS],
  ['/admin/buckets?name=bucket%2699', MAX_LIST_MS],
  ['/admin/buckets?name=no%26such', MAX_LIST_MS],
  ['/admin/users', MAX_LIST_MS],
  ['/admin/users?email=person%2642', MAX_LIST_MS],
  ['/admin/users?active=false', MAX_LIST_MS],
  ['/admin/users?verified=false', MAX_LIST_MS],
  ['/admin/logs', MAX_LIST_MS],
  ['/admin/logs?section=payments', MAX_LIST_MS],
  ['/admin/logs?from=HALF&to=HALF', MAX_LIST_MS],
  ['/admin/logs?text=bucket%2677', MAX_LIST_MS],
  ['/admin/overview?chartType=disk', MAX_OVERVIEW_MS],
  ['/admin/overview?chartType=bandwidth&unit=GiB', MAX_OVERVIEW_MS],
  ['/admin/overview?chartType=revenue', MAX_OVERVIEW_MS],
  ['/admin/overview?from=YEAR&to=TODAY', MAX_OVERVIEW_MS],
  ['/admin/jobs', MAX_LIST_MS],
];

/** Prints how long the admin's lists and overview take on SQLite with the data of many users. */
export async function reportAdmin({ isQuick, judge }: PartOptions): Promise<void> {
  const size = isQuick
    ? { users: 500, buckets: 1000, files: 100_000, days: 30, logs: 20_000 }
    : { users: 5000, buckets: 10_000, files: 1_000_000, days: 60, logs: 200_000 };
  const rounds = isQuick ? 11 : 31;
  const { server, token, middle } = await startSeededServer(size);
  try {
    console.log(
      `the admin's pages over ${size.users} users, ${size.buckets} buckets, ${size.files} files, ${size.days} days and ${size.logs} log entries, medians of ${rounds}`,
    );
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    for (const [path, atMost] of CALLS) {
      const query = path
        .replace('MIDDLE', middle)
        .replaceAll('HALF', day(size.days / 2))
        .replace('YEAR', day(399))
        .replace('TODAY', day(0));
      const ms = await timeOf(`${server.url}${query}`, token, rounds);
      console.log(`${path.padEnd(46)}${ms.toFixed(1).padStart(8)} ms, ${judge(ms, { atMost })}`);
    }
  } finally {
    await server.stop();
  }
}

/**
 * Starts a server with the data of many users, whose statistics are aggregated. Returns it with its admin's
 * token and the id of a bucket in the middle.
 */
export async function startSeededServer(size: SeedSize) {
  const server = await startServerProcess({
    env: { ADMIN_EMAIL: ADMIN, LOG_LEVEL: 'error' },
    startTimeoutMs: START_TIMEOUT_MS,
  });
  try {
    const { token } = await signUp(server, ADMIN, 'a long enough password');
    const database = openSqlite(join(server.dataDir, 'wharf.db'));
    const middle = await seedDatabase(database, size);
    // The seeded files have no objects, and a server only becomes healthy when one of the newest files is
    // in its storage.
    const bucket = await createBucket(server, token, 'Benchmark');
    await uploadImage(server, bucket, new File([await makeImage(KIB)], 'newest.jpg'));
    await server.restart();
    await until(async () => {
      const done = await database.db.selectFrom('usage_totals').select('day').execute();
      // In the first hour of a day the day before is not aggregated yet.
      return done.length >= size.days - 2;
    }, TOTALS_TIMEOUT_S);
    await database.close();
    return { server, token, middle };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function timeOf(url: string, token: string, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n <= rounds; n += 1) {
    const started = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await response.text();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - started);
  }
  // The first call also prepares the statements, so it does not count.
  return median(times.slice(1));
}
