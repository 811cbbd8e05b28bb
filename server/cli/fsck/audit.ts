import type { Clock } from '../../platform/clock.ts';
import { checkFiles } from './files.ts';
import type { AuditSources, CopySources, Finding } from './finding.ts';
import { checkJobs } from './jobs.ts';
import { checkLedger } from './ledger.ts';
import { findOrphans } from './orphans.ts';
import { findOverdue } from './overdue.ts';
import { checkBuckets } from './totals.ts';
import { checkUploads } from './uploads.ts';

/**
 * Compares rows with objects, and balances and payments with the ledger, and reads only. A server may
 * work on all of them meanwhile: what looks wrong is looked at once more before it is told, as ids
 * never repeat and objects never change.
 */
export async function* audit(sources: AuditSources, clock: Clock): AsyncGenerator<Finding> {
  yield* findOverdue(sources, clock);
  yield* findOrphans(sources);
  yield* auditCopy(sources, clock);
  for await (const path of sources.leftovers()) {
    yield { kind: 'temporary', subject: path, text: 'left behind by a process that has ended' };
  }
}

/** The same for a copy that nobody works on: what there is to be removed is no finding yet. */
export async function* auditCopy(sources: CopySources, clock: Clock): AsyncGenerator<Finding> {
  yield* checkFiles(sources);
  yield* checkJobs(sources);
  yield* checkUploads(sources, clock);
  yield* checkBuckets(sources);
  yield* checkLedger(sources);
}
