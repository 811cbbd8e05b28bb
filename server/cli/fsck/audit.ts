import type { AuditSources, CopySources } from '../../adapters/operator.ts';
import { MINUTE } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { areDeletionsPaused } from '../../platform/storage/deletion-pause-store.ts';
import type { PendingDeleteRow } from '../../platform/storage/tables.ts';
import { checkCharges } from './charges.ts';
import { checkFiles } from './files.ts';
import type { Finding } from './finding.ts';
import { checkLedger } from './ledger.ts';
import { findOrphans } from './orphans.ts';
import * as store from './store.ts';
import { checkTotals } from './totals.ts';
import { isUnfinished, uploadedPieces } from './uploads-store.ts';

/**
 * Pending deletes run several times a minute, but a large one takes time, and the storage can be
 * unavailable.
 */
const OVERDUE_GRACE_MS = 5 * MINUTE;

/**
 * Compares rows with objects, and balances, payments and charges with the ledger; it only reads. A server
 * can be running, so whatever looks wrong is checked a second time before it is reported: ids never
 * repeat and objects never change.
 * @param orphans yields what no row refers to, as `findOrphans` does
 */
export async function* audit(
  sources: AuditSources,
  clock: Clock,
  orphans = findOrphans(sources),
): AsyncGenerator<Finding> {
  yield* findOverdue(sources, clock);
  yield* orphans;
  yield* auditCopy(sources, clock);
  for await (const path of sources.leftovers()) {
    yield { kind: 'temporary', subject: path, text: 'left behind by a process that has ended' };
  }
}

/**
 * Audits a copy that no server uses. Objects that are still to be deleted are no findings there.
 */
export async function* auditCopy(sources: CopySources, clock: Clock): AsyncGenerator<Finding> {
  yield* checkFiles(sources);
  yield* checkJobs(sources);
  yield* checkUploads(sources, clock);
  yield* checkTotals(sources);
  yield* checkLedger(sources);
  yield* checkCharges(sources, clock);
}

/** Yields uploaded objects that a job needs and that are missing. */
async function* checkJobs({ database, objects }: CopySources): AsyncGenerator<Finding> {
  const { db } = database;
  for await (const job of store.waitingMediaJobs(db)) {
    for (const key of sourcesOf(job.payload)) {
      if ((await objects.open(key)) || !(await store.isWaiting(db, job.id))) continue;
      const text = `missing, needed by the ${job.kind} job of the file ${job.subject}`;
      yield { kind: 'missing', subject: key, text };
    }
  }
}

type Payload = { source?: string; sources?: string[]; thumbnail?: string | null };

function sourcesOf(payload: string): string[] {
  const { source, sources = [], thumbnail } = JSON.parse(payload) as Payload;
  return [...sources, source, thumbnail].filter((key): key is string => Boolean(key));
}

/** Yields acknowledged objects of unfinished uploads that are missing or too short. */
async function* checkUploads(
  { database, objects }: CopySources,
  clock: Clock,
): AsyncGenerator<Finding> {
  const { db } = database;
  for await (const piece of uploadedPieces(db, clock())) {
    const stored = await objects.open(piece.key);
    const isComplete = piece.size === null ? stored !== null : stored?.size === piece.size;
    if (isComplete || !(await isUnfinished(db, piece.upload, clock()))) continue;
    const text = stored
      ? `${stored.size} bytes are stored for the upload ${piece.upload}, the database has ${piece.size}`
      : `missing object of the upload ${piece.upload}`;
    yield { kind: 'missing', subject: piece.key, text };
  }
}

/** Yields the pending deletes that are overdue, or put off because they fail. */
async function* findOverdue(
  { database: { db } }: AuditSources,
  clock: Clock,
): AsyncGenerator<Finding> {
  const now = clock();
  if (await areDeletionsPaused(db, now)) return;
  for await (const row of store.overdueDeletes(db, now - OVERDUE_GRACE_MS)) {
    yield { kind: 'overdue', subject: row.prefix, text: `${stateOf(row)}, still stored` };
  }
}

function stateOf({ not_before, started_at, error }: PendingDeleteRow): string {
  const since = new Date(started_at ?? not_before).toISOString();
  if (error !== null) return `can't be deleted since ${since} (${error})`;
  return started_at === null ? `due for deletion since ${since}` : `being deleted since ${since}`;
}
