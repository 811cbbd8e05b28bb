import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KIB } from '../../server/contract/limits.ts';
import { createBucket, sendFile, signUp } from '../../tests/support/client/api.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../tests/support/server/server-process.ts';
import { type Load, runWrk, type WrkRequest } from '../delivery/wrk.ts';
import { createBenchBucket } from '../fixtures.ts';
import { mediansOf, takeTurns } from '../measurement.ts';
import { processorTimeOf } from '../processes.ts';
import type { Judge } from '../targets.ts';

const SERVER_CORE = '0';
const CLIENT_CORE = 1;
const CONCURRENCY = 8;
/** Far less than the server takes, so that what is lost is what an upload does to others. */
const UPLOADS_PER_SECOND = 10;

type Programs = Record<'wrk' | 'taskset', string>;
type Delivery = Load & { processorTime: number };
type Measure = (requests: WrkRequest[]) => Promise<Delivery>;

/** Prints the delivery of 1 KiB by path beside that by id, and of one file beside the uploads of another account. */
export async function reportDeliveryByPath(
  programs: Programs,
  isQuick: boolean,
  judge: Judge,
): Promise<void> {
  const { rounds, seconds, files } = isQuick
    ? { rounds: 3, seconds: 2, files: 200 }
    : { rounds: 5, seconds: 5, files: 2000 };
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  const prefix = [programs.taskset, '-c', SERVER_CORE];
  const server = await startServerProcess({ prefix, env: { LOG_LEVEL: 'error' } });
  const load = { seconds, core: CLIENT_CORE, list: join(folder, 'requests') };
  const measure: Measure = async (requests) => {
    const used = await processorTimeOf(server.pid());
    const measured = await runWrk(programs, server.url, requests, load);
    const milliseconds = (await processorTimeOf(server.pid())) - used;
    return { ...measured, processorTime: (milliseconds * 1000) / measured.requests };
  };
  try {
    const { byId, byPath } = await upload(server, files);
    console.log(`delivery of ${files} files of 1 KiB, medians of ${rounds} rounds of ${seconds} s`);
    await comparePaths(measure, { byId, byPath }, rounds, judge);
    await compareBeside(programs, server, () => measure(byId.slice(0, 1)), rounds, judge);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

/** Uploads files of 1 KiB, and returns the requests for them by their ids and by their paths. */
async function upload(server: ServerProcess, files: number) {
  const { bucket } = await createBenchBucket(server);
  const requests = { byId: [] as WrkRequest[], byPath: [] as WrkRequest[] };
  const left = Array.from({ length: files }, (_, n) => n).values();
  const bytes = crypto.getRandomValues(new Uint8Array(KIB));
  const work = async () => {
    for (const n of left) {
      const fields = { access: 'public', path: `folder/file-${n}.bin` };
      const file = await sendFile(server, bucket, 'file', fields, bytes, 'file.bin');
      const { url, path_url } = file;
      if (!url || !path_url) throw new Error('A public file has no URL.');
      requests.byId.push({ path: new URL(url).pathname });
      requests.byPath.push({ path: new URL(path_url).pathname });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return requests;
}

async function comparePaths(
  measure: Measure,
  { byId, byPath }: Record<'byId' | 'byPath', WrkRequest[]>,
  rounds: number,
  judge: Judge,
): Promise<void> {
  const figures = await takeTurns(rounds, {
    byId: () => measure(byId),
    byPath: () => measure(byPath),
  });
  const [id, path] = [mediansOf(figures.byId), mediansOf(figures.byPath)];
  const ratio = path.requestsPerSecond / id.requestsPerSecond;
  const times = (path.processorTime / id.processorTime).toFixed(2);
  console.log(
    `  by path ${path.requestsPerSecond.toFixed(0)}/s; by id ${id.requestsPerSecond.toFixed(0)}/s; ratio ${ratio.toFixed(2)}, ${judge(ratio, { atLeast: 0.9 })}; processor time ${times}`,
  );
}

/** Measures in turns with and without another account that uploads files of 1 KiB at a steady rate. */
async function compareBeside(
  { taskset }: Programs,
  server: ServerProcess,
  measure: () => Promise<Delivery>,
  rounds: number,
  judge: Judge,
): Promise<void> {
  const stranger = await signUp(server);
  const bucket = await createBucket(server, stranger.token, 'Stranger');
  const target = `${server.url}/files/upload/file/${bucket.id}`;
  const script = [process.execPath, join(import.meta.dir, 'steady-uploads.ts')];
  const parameters = [target, bucket.api_key, String(UPLOADS_PER_SECOND)];
  const beside = async () => {
    const command = [taskset, '-c', String(CLIENT_CORE), ...script, ...parameters];
    const uploads = Bun.spawn(command, { stdio: ['pipe', 'pipe', 'inherit'] });
    const output = uploads.stdout.getReader();
    // The first line tells that the first upload is done.
    await output.read();
    try {
      return await measure();
    } finally {
      uploads.stdin.end();
      await uploads.exited;
    }
  };
  const figures = await takeTurns(rounds, { alone: measure, beside });
  const [alone, other] = [mediansOf(figures.alone), mediansOf(figures.beside)];
  const lost = 1 - other.requestsPerSecond / alone.requestsPerSecond;
  console.log(
    `  one file ${alone.requestsPerSecond.toFixed(0)}/s; beside ${UPLOADS_PER_SECOND} uploads a second of another account ${other.requestsPerSecond.toFixed(0)}/s; lost ${lost.toFixed(3)}, ${judge(lost, { atMost: 0.05 })}; p99 ${alone.p99.toFixed(1)} and ${other.p99.toFixed(1)} ms`,
  );
}
