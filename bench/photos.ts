import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMediaClient } from '../media/client.ts';
import { makePhoto } from '../tests/support/make-media.ts';

const DIFFERENT = 4;
const SAMPLE_MS = 20;

export type PhotoFigures = {
  count: number;
  /** Seconds for all, our jobs and bare sharp with the same settings. */
  ours: number;
  bare: number;
  /** MiB of the media process that lay in memory, at most. */
  memory: number;
};

/** Photos of 12 megapixels to WebP by the media process, and by sharp alone in another process. */
export async function measurePhotos(count: number): Promise<PhotoFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  const entry = join(import.meta.dir, '../media/testing/worker-entry.ts');
  const command = [process.execPath, entry, folder];
  const client = createMediaClient({ command, env: { PATH: process.env.PATH } });
  try {
    await makePhotos(join(folder, 'objects/up'), count);
    const bare = timeBare(join(folder, 'objects/up'), count);
    let memory = 0;
    const sampler = setInterval(async () => {
      memory = Math.max(memory, await peakMemory(client.pid()));
    }, SAMPLE_MS);
    const started = performance.now();
    const { signal } = new AbortController();
    const jobs = Array.from({ length: count }, (_, index) =>
      client.run(
        {
          kind: 'image',
          source: `up/${index}`,
          prefix: `made/${index}/`,
          baseName: 'a',
          webp: true,
        },
        { signal, onProgress: () => {} },
      ),
    );
    const made = await Promise.all(jobs);
    const ours = (performance.now() - started) / 1000;
    clearInterval(sampler);
    if (made.some(({ entry, width }) => entry !== 'a.webp' || width !== 4000)) {
      throw new Error('A photo did not become a WebP of its size.');
    }
    return { count, ours, bare, memory };
  } finally {
    await client.stop();
    await rm(folder, { recursive: true });
  }
}

async function makePhotos(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let index = 0; index < count; index += 1) {
    const path = join(folder, String(index));
    if (index < DIFFERENT) await Bun.write(path, await makePhoto({ width: 4000, height: 3000 }));
    else await copyFile(join(folder, String(index % DIFFERENT)), path);
  }
}

function timeBare(folder: string, count: number): number {
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

/** The kernel's own high-water mark, so no peak is missed between two looks. */
async function peakMemory(pid: number | null): Promise<number> {
  const status = pid ? await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '') : '';
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
