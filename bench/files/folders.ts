import { KIB } from '../../server/contract/limits.ts';
import type {
  BucketDetailWire,
  FolderJobWire,
  FolderPageWire,
} from '../../server/contract/wire.ts';
import { createBucket, sendFile } from '../../tests/support/client/api.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../tests/support/server/server-process.ts';
import { createBenchBucket } from '../fixtures.ts';
import { median, takeTurns } from '../measurement.ts';
import { METRICS_TOKEN, watch } from '../scale/watch.ts';
import type { Judge } from '../targets.ts';
import { seedFiles } from './seed-files.ts';

const SMALL = 1000;
const PAGES = 50;
const ROUNDS = 5;
const POLL_INTERVAL_MS = 100;

type Counts = {
  /** In the big bucket, in folders of 1,000. */
  files: number;
  /** In the folder that is moved. */
  moved: number;
};

/** Prints how long the first page of a folder takes in a big and a small bucket, and the move of a folder. */
export async function reportFolders({ files, moved }: Counts, judge: Judge): Promise<void> {
  const env = { LOG_LEVEL: 'error', METRICS_TOKEN };
  const server = await startServerProcess({ isQuick: true, env });
  try {
    const { token, bucket: big } = await createBenchBucket(server);
    const small = await createBucket(server, token, 'Small');
    const moving = await createBucket(server, token, 'Moving');
    await server.restart('SIGTERM', async () => {
      const folders = Math.ceil(files / SMALL);
      seedFiles(server.dataDir, big.id, files, (n) => `folder-${n % folders}/file-${n}.bin`);
      seedFiles(server.dataDir, small.id, SMALL, (n) => `file-${n}.bin`);
      seedFiles(server.dataDir, moving.id, moved, (n) => `from/${n % 100}/file-${n}.bin`);
    });
    await comparePages(server, { big, small }, files, judge);
    await move(server, moving, moved, judge);
  } finally {
    await server.stop();
  }
}

async function comparePages(
  { url }: ServerProcess,
  { big, small }: Record<'big' | 'small', BucketDetailWire>,
  files: number,
  judge: Judge,
): Promise<void> {
  const page = async ({ id, api_key }: BucketDetailWire, prefix: string) => {
    const response = await fetch(`${url}/files/folder/${id}?prefix=${prefix}`, {
      headers: { 'x-api-key': api_key },
    });
    const { data, folders } = (await response.json()) as FolderPageWire;
    if (data.length + folders.length === 0) throw new Error(`'${prefix}' is empty.`);
  };
  const timed = (bucket: BucketDetailWire, prefix: string) => async () => {
    const times: number[] = [];
    for (let n = 0; n < PAGES; n += 1) {
      const started = performance.now();
      await page(bucket, prefix);
      times.push(performance.now() - started);
    }
    return median(times);
  };
  const middle = `folder-${Math.floor(files / SMALL / 2)}/`;
  const figures = await takeTurns(ROUNDS, {
    small: timed(small, ''),
    folder: timed(big, middle),
    top: timed(big, ''),
  });
  const of = (name: keyof typeof figures) => median(figures[name]);
  console.log(`\nfirst page of a folder, medians of ${ROUNDS} rounds of ${PAGES} pages`);
  console.log(`  of a bucket of ${SMALL} files ${of('small').toFixed(2)} ms`);
  for (const [name, text] of [
    ['folder', `of a folder among ${files} files`],
    ['top', `of ${Math.ceil(files / SMALL)} folders with ${files} files`],
  ] as const) {
    const ratio = of(name) / of('small');
    console.log(
      `  ${text} ${of(name).toFixed(2)} ms, ratio ${ratio.toFixed(2)}, ${judge(ratio, { atMost: 3 })}`,
    );
  }
}

/** Moves a folder by a job, while a small file is requested 100 times a second. */
async function move(
  server: ServerProcess,
  bucket: BucketDetailWire,
  files: number,
  judge: Judge,
): Promise<void> {
  const bytes = new Uint8Array(KIB);
  const probe = await sendFile(server, bucket, 'file', { access: 'public' }, bytes, 'probe.bin');
  const jobs = `${server.url}/files/folder-jobs/${bucket.id}`;
  const headers = { 'x-api-key': bucket.api_key, 'content-type': 'application/json' };
  const run = async () => {
    const body = JSON.stringify({ action: 'move', path: 'from', target: 'to' });
    const response = await fetch(jobs, { method: 'POST', headers, body });
    if (response.status !== 202) throw new Error(`move: ${await response.text()}`);
    let job = (await response.json()) as FolderJobWire;
    while (job.status === 'running') {
      await Bun.sleep(POLL_INTERVAL_MS);
      job = (await (await fetch(`${jobs}/${job.id}`, { headers })).json()) as FolderJobWire;
    }
    if (job.done !== files) throw new Error(`${job.done} of ${files} files were moved.`);
  };
  const { watched } = await watch(server, probe.url ?? '', run, 0);
  const { seconds, stall, p50, p99, memory } = watched;
  console.log(
    `\nmove of a folder of ${files} files as a job\n  ${seconds.toFixed(1)} s, ${(files / seconds).toFixed(0)} files a second; stall ${stall.toFixed(0)} ms, ${judge(stall, { atMost: 50 })}; GET beside it p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ${memory.toFixed(0)} MiB`,
  );
}
