import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '../tests/support/server/server-process.ts';
import { mediansOf, takeTurns } from './measurement.ts';
import { processorTimeOf, residentMemory } from './processes.ts';

const STARTS = 5;
const SETTLE_MS = 2_000;

/** The milliseconds until the first healthy answer, and the MiB some time after it, before any job. */
export type Start = { firstAnswer: number; processorTime: number; idleMemory: number };

/**
 * Returns the medians of some starts of this version and, in turns with it, of another program. All but the
 * first start, which does not count, open an existing database.
 */
export async function measureStarts(
  other: string | null,
): Promise<{ ours: Start; before: Start | null }> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-start-'));
  try {
    const ours = () => measureStart(join(folder, 'ours'), null);
    const before = other ? () => measureStart(join(folder, 'before'), other) : undefined;
    const starts = await takeTurns(STARTS, { ours, before });
    return { ours: mediansOf(starts.ours), before: before ? mediansOf(starts.before) : null };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureStart(dataDir: string, program: string | null): Promise<Start> {
  const server = await startServerProcess({ dataDir, ...(program && { program: [program] }) });
  try {
    const processorTime = await processorTimeOf(server.pid());
    await Bun.sleep(SETTLE_MS);
    const idleMemory = await residentMemory(server.pid());
    return { firstAnswer: server.startupTime(), processorTime, idleMemory };
  } finally {
    await server.stop();
  }
}
