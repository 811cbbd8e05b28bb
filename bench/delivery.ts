import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBucket, signUp, uploadImage } from '../tests/support/api.ts';
import { type ServerProcess, startServerProcess } from '../tests/support/server-process.ts';
import { makeImage, SIZES } from './images.ts';
import { median } from './median.ts';
import { startNginx } from './nginx.ts';
import { type Load, runWrk } from './wrk.ts';

const SERVER_CORE = 0;
const CLIENT_CORE = 1;

export type Comparison = { size: string; bytes: number; ours: Load; nginx: Load };
type Programs = Record<'nginx' | 'wrk' | 'taskset', string>;

/**
 * Delivery of public files by us and by nginx: the same bytes from the same core, the load from
 * another, in turns, so that whatever disturbs the machine disturbs both. Medians of all rounds.
 */
export async function compareDelivery(
  programs: Programs,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Comparison[]> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  await mkdir(join(folder, 'www'));
  const server = await startServerProcess({
    prefix: [programs.taskset, '-c', String(SERVER_CORE)],
  });
  const nginx = await startNginx(programs, folder, SERVER_CORE);
  try {
    const comparisons: Comparison[] = [];
    for (const file of await putFiles(server, join(folder, 'www'))) {
      const urls = { ours: file.url, nginx: `${nginx.url}/${file.name}` };
      await expectSameBytes(urls.ours, urls.nginx);
      const loads = { ours: [] as Load[], nginx: [] as Load[] };
      // The first round warms both up and does not count.
      for (let round = 0; round <= rounds; round += 1) {
        for (const peer of ['ours', 'nginx'] as const) {
          const load = await runWrk(programs, urls[peer], { seconds, core: CLIENT_CORE });
          if (round > 0) loads[peer].push(load);
        }
      }
      const { size, bytes } = file;
      comparisons.push({ size, bytes, ours: middle(loads.ours), nginx: middle(loads.nginx) });
    }
    return comparisons;
  } finally {
    await nginx.stop();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

/** Uploads an image of each size over the API, and gives nginx what we deliver of it. */
async function putFiles(server: ServerProcess, www: string) {
  const { token } = await signUp(server, 'bench@example.org', 'a long enough password');
  const bucket = await createBucket(server, token, 'Benchmark');
  const files = [];
  for (const [size, target] of Object.entries(SIZES)) {
    const name = `${target}.jpg`;
    const image = new File([await makeImage(target)], name, { type: 'image/jpeg' });
    const { url } = await uploadImage(server, bucket, image);
    if (!url) throw new Error(`${name} has no URL.`);
    const bytes = await Bun.write(join(www, name), await fetch(url));
    files.push({ size, name, url, bytes });
  }
  return files;
}

async function expectSameBytes(ours: string, nginx: string) {
  const [a, b] = await Promise.all(
    [ours, nginx].map(async (url) => Bun.hash(await (await fetch(url)).arrayBuffer())),
  );
  if (a !== b) throw new Error(`${ours} and ${nginx} answer different bytes.`);
}

const middle = (loads: Load[]): Load => ({
  requestsPerSecond: median(loads.map((one) => one.requestsPerSecond)),
  p99: median(loads.map((one) => one.p99)),
});
