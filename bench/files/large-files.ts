import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GIB, MIB } from '../../server/contract/limits.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../tests/support/server/server-process.ts';
import { createBenchBucket } from '../fixtures.ts';
import { peakMemory, resetPeakMemory, residentMemory } from '../processes.ts';
import type { Judge } from '../targets.ts';

const MAX_MEMORY_MIB = 150;
/** Beside what is uploaded, as a disk that is full disturbs others. */
const RESERVE_BYTES = 5 * GIB;

type Programs = Record<'curl', string>;

/** Prints the peak of the server's memory during an upload of 5 GiB, and during a ZIP of that file and its copy. */
export async function reportLargeFiles(
  { curl }: Programs,
  isQuick: boolean,
  judge: Judge,
): Promise<void> {
  const bytes = isQuick ? GIB / 2 : 5 * GIB;
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes + RESERVE_BYTES) throw new Error('There is too little disk space.');
  const server = await startServerProcess({ env: { LOG_LEVEL: 'error' } });
  const print = async (what: string, size: number, seconds: number) => {
    const peak = await peakMemory(server.pid());
    const rate = size / MIB / seconds;
    console.log(
      `  ${what} of ${size / GIB} GiB ${rate.toFixed(0)} MiB/s; memory up to ${peak.toFixed(0)} MiB, ${judge(peak, { atMost: MAX_MEMORY_MIB })}`,
    );
  };
  try {
    const { bucket } = await createBenchBucket(server);
    const key = ['-H', `x-api-key: ${bucket.api_key}`];
    const source = join(folder, 'sparse.bin');
    await makeSparse(source, bytes);
    const idle = await residentMemory(server.pid());
    console.log(`\nlarge files, by a server of ${idle.toFixed(0)} MiB`);
    const form = ['-F', 'path=folder/large.bin', '-F', `file=@${source}`];
    const address = `${server.url}/files/upload/file/${bucket.id}`;
    await resetPeakMemory(server.pid());
    const sending = await timed(() => run([curl, '-sSf', ...key, ...form, address]));
    await print('upload', bytes, sending.seconds);
    const { id } = JSON.parse(sending.result) as FileWire;
    await callApi(server, bucket.api_key, `/files/copy/${bucket.id}/${id}`, {
      path: 'folder/copy.bin',
    });
    const zip = await callApi<{ url: string }>(server, bucket.api_key, `/files/zip/${bucket.id}`, {
      folder: 'folder',
    });
    await resetPeakMemory(server.pid());
    const download = [curl, '-sSf', '-o', '/dev/null', '-w', '%{size_download}', zip.url];
    const receiving = await timed(() => run(download));
    if (Number(receiving.result) < 2 * bytes) throw new Error('The ZIP is too short.');
    await print('ZIP', 2 * bytes, receiving.seconds);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

/** Makes a file that takes up no space on the disk. */
async function makeSparse(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'w');
  await file.truncate(bytes);
  await file.close();
}

async function callApi<Answer>(
  { url }: ServerProcess,
  key: string,
  path: string,
  body: object,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function timed<Result>(work: () => Promise<Result>) {
  const started = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - started) / 1000 };
}

async function run(command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed.`);
  return text;
}
