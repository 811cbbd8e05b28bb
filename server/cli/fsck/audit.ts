import { MINUTE } from '../../contract/limits.ts';
import { PARTIAL_PLAYLIST } from '../../contract/media.ts';
import type { Clock } from '../../platform/clock.ts';
import { areDeletionsPaused } from '../../platform/storage/deletion-pause-store.ts';
import type { PendingDeleteRow } from '../../platform/storage/tables.ts';
import { checkCharges } from './charges.ts';
import type { AuditSources, CopySources, Finding } from './finding.ts';
import { checkLedger } from './ledger.ts';
import { findOrphans } from './orphans.ts';
import * as store from './store.ts';
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
  yield* checkBuckets(sources);
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

/** Yields buckets whose totals differ from the sums over their files. */
async function* checkBuckets({ database }: CopySources): AsyncGenerator<Finding> {
  for (const bucket of await store.miscountedBuckets(database.db)) {
    const { id, usage, bytes, total_uploads, files } = bucket;
    if (usage !== bytes) {
      const text = `the bucket's total is ${usage} bytes, its files add up to ${bytes}`;
      yield { kind: 'total', subject: id, text };
    }
    if (total_uploads !== files) {
      const text = `the bucket's total is ${total_uploads} files, it has ${files}`;
      yield { kind: 'total', subject: id, text };
    }
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

/** Yields blobs and accounts whose counts differ from what they count. */
async function* checkTotals({ database: { db } }: CopySources): AsyncGenerator<Finding> {
  for (const { id, refs, files } of await store.miscountedBlobs(db)) {
    const text = `the blob counts ${refs} files, ${files} have it`;
    yield { kind: 'total', subject: id, text };
  }
  for (const { user_id } of await store.miscountedAccounts(db)) {
    const text = "the account's totals differ from the sums over its buckets";
    yield { kind: 'total', subject: user_id, text };
  }
}

/** Yields missing objects of files, and files whose size differs from that of their objects. */
async function* checkFiles(sources: CopySources): AsyncGenerator<Finding> {
  const { db } = sources.database;
  for await (const row of store.allFiles(db)) {
    const first = await wrongOf(sources, row);
    if (first.length === 0) continue;
    const now = await store.fileById(db, row.id);
    if (now) yield* await wrongOf(sources, now);
  }
}

async function wrongOf(sources: CopySources, file: store.AuditedFile): Promise<Finding[]> {
  const { objects, database } = sources;
  const findings: Finding[] = [];
  for (const key of keysOf(file)) {
    if (await objects.open(key)) continue;
    findings.push({ kind: 'missing', subject: key, text: `missing object of the file ${file.id}` });
  }
  if (file.status === 'processing') return findings;
  const generatedBytes = file.prefix ? await bytesBelow(sources, file.prefix) : 0;
  const source = file.blob_prefix ? await bytesBelow(sources, file.blob_prefix) : 0;
  if (file.blob_id && source === 0) {
    const text = `missing original of the file ${file.id}`;
    findings.push({ kind: 'missing', subject: file.blob_prefix ?? file.blob_id, text });
  }
  // The upload of a failed file counts with its size, as while it was processed.
  if (file.status === 'error' && file.blob_id) return findings;
  let derived = 0;
  for (const { prefix, name } of await store.listTransforms(database.db, file.id)) {
    const object = await objects.open(prefix + name);
    derived += object?.size ?? 0;
    if (object) continue;
    const text = `missing generated image of the file ${file.id}`;
    findings.push({ kind: 'missing', subject: prefix + name, text });
  }
  const stored = generatedBytes + source + derived;
  if (
    stored !== file.stored_bytes &&
    stored - (await leavingBytes(sources, file)) !== file.stored_bytes
  ) {
    const text = `the database has ${file.stored_bytes} bytes for the file, ${stored} are stored`;
    findings.push({ kind: 'total', subject: file.id, text });
  }
  return findings;
}

/** Returns the bytes beside the original of a file that the server will delete. */
async function leavingBytes(
  { database, objects }: CopySources,
  { blob_prefix }: store.AuditedFile,
) {
  let bytes = 0;
  if (blob_prefix === null) return bytes;
  for (const key of await store.pendingKeys(database.db, blob_prefix)) {
    bytes += (await objects.open(key))?.size ?? 0;
  }
  return bytes;
}

function keysOf({ prefix, status, entry, poster, previews }: store.AuditedFile): string[] {
  if (!prefix) return [];
  // Until a video is finished there is only its early playlist.
  const first = status === 'processing' ? PARTIAL_PLAYLIST : entry;
  return [first, poster, previews].flatMap((name) => (name ? [prefix + name] : []));
}

async function bytesBelow({ objects }: CopySources, prefix: string): Promise<number> {
  let bytes = 0;
  for await (const { size } of objects.list(prefix)) bytes += size;
  return bytes;
}
