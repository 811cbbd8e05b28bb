import type { AdminJobsWire, AdminOperationsWire } from '../../contract/wire.ts';
import type { Database } from '../../platform/db/port.ts';
import { timeOf } from '../../platform/ids.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import { databaseFacts, lastBackupAt } from './operations-store.ts';
import { warningsOf } from './warnings.ts';

export type OperationsDeps = {
  database: Database;
  queue: Pick<Queue, 'firstInLine'>;
  /** What this process finds out about itself, as GET /health answers it. */
  health: () => Promise<Pick<AdminOperationsWire, 'checks' | 'confinement'>>;
  version: string;
  storageKind: AdminOperationsWire['storage'];
};

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/**
 * Returns how the server is doing, and what needs the operator's attention.
 * @param jobs what is known of the queue and the disk
 * @param now epoch milliseconds
 */
export async function operationsOf(
  { database, queue, health, version, storageKind }: OperationsDeps,
  jobs: AdminJobsWire,
  now: number,
): Promise<AdminOperationsWire> {
  const [{ checks, confinement }, facts, backupAt, first] = await Promise.all([
    health(),
    databaseFacts(database.db),
    lastBackupAt(database.db),
    queue.firstInLine(),
  ]);
  const nextJobAt = first === null ? null : timeOf(first);
  const server = { checks, confinement, storage: storageKind };
  const about = { ...server, database: { engine: database.engine, ...facts } };
  return {
    ...about,
    warnings: warningsOf({ ...about, ...jobs, nextJobAt, backupAt }, now),
    next_job: iso(nextJobAt),
    backup: iso(backupAt),
    versions: { wharf: version, bun: Bun.version },
  };
}
