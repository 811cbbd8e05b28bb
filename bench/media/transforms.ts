import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BucketDetailWire } from '../../server/contract/wire.ts';
import { uploadImage } from '../../tests/support/client/api.ts';
import { makePhoto } from '../../tests/support/fixtures/make-media.ts';
import { freePort } from '../../tests/support/server/free-port.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../tests/support/server/server-process.ts';
import { runWrk, type WrkRequest } from '../delivery/wrk.ts';
import { createBenchBucket } from '../fixtures.ts';
import { median, takeTurns } from '../measurement.ts';
import { descendantsOf, peakMemory, sumOf } from '../processes.ts';
import { findPrograms, startPeer } from '../programs.ts';
import type { PartOptions, Target } from '../targets.ts';

const PHOTOS = 12;
const DISTINCT_PHOTOS = 4;
/** With this blur each photo has 3.5 MB, like those of phones. */
const BLUR = 0.6;
const WIDTHS_A_ROUND = 4;
const FIRST_WIDTH = 200;
const STEP = 50;
const CONCURRENCY = 64;
const SERVER_CORE = 0;
const CLIENT_CORE = 1;

/** Prints how fast images are generated, compared with ipx, and delivered, compared with plain files. */
export async function reportTransforms({ isQuick, judge }: PartOptions): Promise<void> {
  // Looked for before minutes of measuring that would end without a result.
  findPrograms(['wrk', 'taskset']);
  const rounds = isQuick ? 3 : 5;
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  const server = await startServerProcess();
  try {
    const { bucket } = await createBenchBucket(server);
    const photos = await putPhotos(server, bucket, join(folder, 'ipx'));
    // The restart resets the peak memory, which must not include the uploads.
    await server.restart();
    const { ours, ipx, memory } = await raceMisses(server, photos, join(folder, 'ipx'), rounds);
    console.log(`transforms, medians of ${rounds} rounds in turns`);
    const show = (name: string, figures: string, ratio: number, target: Target) =>
      console.log(
        `${name.padEnd(9)}${figures}, ratio ${ratio.toFixed(2)}, ${judge(ratio, target)}`,
      );
    const rates = `${ours.toFixed(1)} against ipx's ${ipx.toFixed(1)} images/s`;
    show('miss', rates, ours / ipx, { atLeast: 1 });
    const peaks = `${memory.ours.toFixed(0)} against ${memory.ipx.toFixed(0)} MiB`;
    show('memory', peaks, memory.ours / memory.ipx, { atMost: 0.6 });
    const hits = await raceHits(server, bucket, photos, join(folder, 'requests'), rounds, isQuick);
    const both = `${hits.derivative.toFixed(0)} against ${hits.plain.toFixed(0)} requests/s`;
    show('hit', both, hits.derivative / hits.plain, { atLeast: 0.9 });
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

type Photo = { name: string; path: string };

/** Uploads photos of 12 megapixels, and copies what is delivered of them for ipx. */
async function putPhotos(server: ServerProcess, bucket: BucketDetailWire, www: string) {
  await mkdir(www, { recursive: true });
  const sources = await Promise.all(
    Array.from({ length: DISTINCT_PHOTOS }, (_, number) =>
      makePhoto({ width: 4000, height: 3000, blur: BLUR, number }),
    ),
  );
  const photos: Photo[] = [];
  for (let index = 0; index < PHOTOS; index += 1) {
    const name = `${index}.jpg`;
    const bytes = new Uint8Array(sources[index % DISTINCT_PHOTOS] ?? []);
    const { url } = await uploadImage(server, bucket, new File([bytes], name));
    if (!url) throw new Error(`${name} has no URL.`);
    await Bun.write(join(www, name), await fetch(url));
    photos.push({ name, path: new URL(url).pathname });
  }
  return photos;
}

async function raceMisses(server: ServerProcess, photos: Photo[], www: string, rounds: number) {
  const peer = await startIpx(www);
  const rate = async (round: number, urlOf: (photo: Photo, width: number) => string) => {
    const urls = widthsOf(round).flatMap((width) => photos.map((photo) => urlOf(photo, width)));
    return urls.length / (await fetchAll(urls));
  };
  try {
    const rates = await takeTurns(rounds, {
      ours: (round) =>
        rate(round, ({ path }, width) => `${server.url}${path}?w=${width}&f=webp&q=80`),
      ipx: (round) =>
        rate(round, ({ name }, width) => `${peer.url}/w_${width},f_webp,q_80/${name}`),
    });
    const pids = [server.pid(), ...(await descendantsOf(server.pid()))];
    const memory = {
      ours: await sumOf(pids, peakMemory),
      ipx: await peakMemory(peer.pid),
    };
    return { ours: median(rates.ours), ipx: median(rates.ipx), memory };
  } finally {
    await peer.stop();
  }
}

/** Returns widths that were not requested before. */
const widthsOf = (round: number) =>
  Array.from(
    { length: WIDTHS_A_ROUND },
    (_, index) => FIRST_WIDTH + STEP * (index + round * WIDTHS_A_ROUND),
  );

/**
 * Returns the seconds to fetch all URLs, many at the same time. Throws at the first response that is not a
 * WebP.
 */
async function fetchAll(urls: string[]): Promise<number> {
  const started = performance.now();
  let next = 0;
  const work = async () => {
    for (let url = urls[next++]; url; url = urls[next++]) {
      const response = await fetch(url);
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.ok && bytes.toString('latin1', 8, 12) === 'WEBP') continue;
      throw new Error(`${url}: ${response.status} ${bytes.toString('latin1', 0, 100)}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return (performance.now() - started) / 1000;
}

async function startIpx(www: string) {
  const port = await freePort();
  const script = join(import.meta.dir, 'ipx-peer.ts');
  return startPeer(`http://127.0.0.1:${port}`, [process.execPath, script, www, String(port)]);
}

/** Compares generated images with plain files of the same bytes, delivered from one core. */
async function raceHits(
  server: ServerProcess,
  bucket: BucketDetailWire,
  photos: Photo[],
  list: string,
  rounds: number,
  isQuick: boolean,
) {
  const programs = findPrograms(['wrk', 'taskset']);
  const requests = { derivative: [] as WrkRequest[], plain: [] as WrkRequest[] };
  for (const { name, path } of photos) {
    const generatedPath = `${path}?w=640&f=webp`;
    const bytes = await (await fetch(server.url + generatedPath)).arrayBuffer();
    const { url } = await uploadImage(server, bucket, new File([bytes], `${name}.webp`));
    requests.derivative.push({ path: generatedPath });
    requests.plain.push({ path: new URL(url ?? '').pathname });
  }
  const pin = [programs.taskset, '-a', '-c', '-p', String(SERVER_CORE), String(server.pid())];
  if (!Bun.spawnSync(pin).success) throw new Error('The server could not be pinned to one core.');
  const load = { seconds: isQuick ? 2 : 5, core: CLIENT_CORE, list };
  const rate = async (side: keyof typeof requests) =>
    (await runWrk(programs, server.url, requests[side], load)).requestsPerSecond;
  const rates = await takeTurns(rounds, {
    derivative: () => rate('derivative'),
    plain: () => rate('plain'),
  });
  return { derivative: median(rates.derivative), plain: median(rates.plain) };
}
