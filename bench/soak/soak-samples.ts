import { readdir } from 'node:fs/promises';
import { MIB } from '../../server/contract/limits.ts';
import { childOf, residentMemory } from './memory.ts';

export type Sample = {
  /** MiB that lie in memory: of the server, and of its media process where there is one. */
  memory: number;
  mediaMemory: number;
  openFiles: number;
  /** MiB below DATA_DIR. */
  disk: number;
};

/** What a running server takes up at this moment. */
export async function sampleOf(pid: number, dataDir: string): Promise<Sample> {
  const media = await childOf(pid).catch(() => 0);
  return {
    memory: await residentMemory(pid),
    mediaMemory: media ? await residentMemory(media).catch(() => 0) : 0,
    openFiles: (await readdir(`/proc/${pid}/fd`)).length,
    disk: diskOf(dataDir),
  };
}

/** By `du`, whose complaint that a file has just been removed does not matter. */
function diskOf(folder: string): number {
  const { stdout } = Bun.spawnSync(['du', '-s', '--block-size=1', folder], { stderr: 'ignore' });
  return Number.parseInt(stdout.toString(), 10) / MIB;
}
