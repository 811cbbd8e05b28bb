import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FilePageWire } from '../../server/contract/wire.ts';
import { sendImage } from '../../tests/support/client/api.ts';
import { makePhoto } from '../../tests/support/fixtures/make-media.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../tests/support/server/server-process.ts';
import { createBenchBucket } from '../fixtures.ts';
import { descendantsOf, peakMemory, sumOf } from '../processes.ts';

const DISTINCT_PHOTOS = 4;
const UPLOAD_CONCURRENCY = 4;
const POLL_INTERVAL_MS = 100;

export type PhotoFigures = {
  count: number;
  /**
   * Seconds for all photos: Wharf's from the first byte sent to the last success, bare sharp's with the
   * same settings.
   */
  ours: number;
  plainMs: number;
  /** The peak memory in MiB of the media process and of each of its decoders, added up. */
  memory: number;
};

/**
 * Measures photos of 12 megapixels, uploaded to become WebP, and converted by sharp alone in another
 * process.
 */
export async function measurePhotos(count: number): Promise<PhotoFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  const server = await startServerProcess();
  try {
    await makePhotos(folder, count);
    const plainMs = timePlainSharp(folder, count);
    const { bucket } = await createBenchBucket(server);
    const started = performance.now();
    const numbers = Array.from({ length: count }, (_, index) => index).values();
    const send = async () => {
      for (const number of numbers) {
        const image = new File([Bun.file(join(folder, String(number)))], `${number}.jpg`);
        await sendImage(server, bucket, image, { webp: true });
      }
    };
    await Promise.all(Array.from({ length: UPLOAD_CONCURRENCY }, send));
    while ((await countDone(server, bucket)) < count) await Bun.sleep(POLL_INTERVAL_MS);
    const ours = (performance.now() - started) / 1000;
    const memory = await sumOf(await descendantsOf(server.pid()), peakMemory);
    return { count, ours, plainMs, memory };
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

/** Counts finished photos. Throws where one did not become a WebP of its size. */
async function countDone({ url }: ServerProcess, bucket: { id: string; api_key: string }) {
  let done = 0;
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const response = await fetch(`${url}/files/${bucket.id}?limit=50&cursor=${cursor}`, {
      headers: { 'x-api-key': bucket.api_key },
    });
    const page = (await response.json()) as FilePageWire;
    for (const file of page.data) {
      if (file.status === 'processing') continue;
      if (!file.url?.endsWith('.webp') || file.width !== 4000) {
        throw new Error(`A photo did not become a WebP of its size: ${file.error}`);
      }
      done += 1;
    }
    cursor = page.nextId;
  }
  return done;
}

async function makePhotos(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let index = 0; index < count; index += 1) {
    const path = join(folder, String(index));
    if (index < DISTINCT_PHOTOS) {
      const photo = await makePhoto({ width: 4000, height: 3000, number: index });
      await Bun.write(path, photo);
    } else await copyFile(join(folder, String(index % DISTINCT_PHOTOS)), path);
  }
}

function timePlainSharp(folder: string, count: number): number {
  const script = join(import.meta.dir, 'bare-sharp.ts');
  const { success, stdout, stderr } = Bun.spawnSync([
    process.execPath,
    script,
    folder,
    String(count),
  ]);
  if (!success) throw new Error(`sharp failed: ${stderr}`);
  return Number(stdout.toString());
}
