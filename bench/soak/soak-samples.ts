import { readdir } from 'node:fs/promises';
import { MIB } from '../../server/contract/limits.ts';
import { descendantsOf, residentMemory, sumOf } from '../processes.ts';

export type Sample = {
  /** Resident memory in MiB: of the server, and of its media process with its children. */
  memory: number;
  mediaMemory: number;
  openFiles: number;
  /** MiB below DATA_DIR. */
  disk: number;
};

/** Measures what a running server uses at this moment. */
export async function sampleOf(pid: number, dataDir: string): Promise<Sample> {
  return {
    memory: await residentMemory(pid),
    mediaMemory: await sumOf(await descendantsOf(pid), residentMemory),
    openFiles: (await readdir(`/proc/${pid}/fd`)).length,
    disk: diskOf(dataDir),
  };
}

/** `du` complains about files that are removed meanwhile, which does not matter. */
function diskOf(folder: string): number {
  const { stdout } = Bun.spawnSync(['du', '-s', '--block-size=1', folder], { stderr: 'ignore' });
  return Number.parseInt(stdout.toString(), 10) / MIB;
}
