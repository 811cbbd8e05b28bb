import { DAY, MINUTE } from '../../contract/limits.ts';
import { count, formatBytes } from '../../contract/units.ts';
import type { AdminJobsWire, AdminOperationsWire } from '../../contract/wire.ts';

/** A queue whose next job has waited for longer has more to do than it can. */
const MAX_WAIT_MS = 15 * MINUTE;
const MAX_BACKUP_AGE_MS = 7 * DAY;
const NEARLY_FULL = 0.9;

export type OperationsFacts = Pick<
  AdminOperationsWire,
  'checks' | 'confinement' | 'storage' | 'database'
> &
  Pick<AdminJobsWire, 'failed' | 'clock' | 'mail' | 'disk' | 'deletions' | 'webhooks'> & {
    /** Since when the next job in the line waits, and when the last backup was made, in epoch milliseconds. */
    nextJobAt: number | null;
    backupAt: number | null;
  };

type Warnings = AdminOperationsWire['warnings'];
type Code = Warnings[number]['code'];
const CHECKS: Record<keyof AdminOperationsWire['checks'], [problem: string, action: string]> = {
  database: [
    'The database does not answer.',
    'Check that it is running and that DATABASE_URL is correct, then run wharf doctor on the server.',
  ],
  storage: [
    'The storage does not work, or the newest files are not in it.',
    'Check that the disk or the S3 bucket is available, and that STORAGE_URL, REGIONS and DATA_DIR are unchanged. Then run wharf doctor on the server.',
  ],
  ffmpeg: [
    'Videos are not processed, because ffmpeg or ffprobe is missing.',
    'Install ffmpeg, or set FFMPEG_PATH to the folder that contains both.',
  ],
  mail: [
    'Emails are not being sent.',
    'Check SMTP_URL, then run wharf doctor on the server. Emails that wait are sent once it works.',
  ],
  usage: [
    'Usage is not being added up.',
    'Totals stay correct. Look for errors in the log, and restart Wharf if this stays.',
  ],
};

/** Returns what needs the operator's attention, the most urgent first, each with what to do about it. */
export function warningsOf(facts: OperationsFacts, now: number): Warnings {
  return [...failedChecks(facts), ...machineWarnings(facts), ...workWarnings(facts, now)];
}

function failedChecks({ checks, mail }: OperationsFacts): Warnings {
  return (Object.keys(CHECKS) as (keyof typeof CHECKS)[])
    .filter((check) => checks[check] === 'failing')
    .map((check) => {
      const [problem, action] = CHECKS[check];
      const reason = check === 'mail' && mail ? ` The last error: ${mail}` : '';
      return { code: check, problem: `${problem}${reason}`, action };
    });
}

function machineWarnings({ clock, disk, confinement }: OperationsFacts): Warnings {
  const warnings: Warnings = [];
  const add = (code: Code, problem: string, action: string) =>
    warnings.push({ code, problem, action });
  if (clock) add('clock', clock, 'Charges and deletions continue by themselves after that.');
  const room = 'Delete files, move to a larger disk, or store files in S3 with STORAGE_URL.';
  if (disk.free < disk.reserve) {
    add(
      'disk',
      `Only ${formatBytes(disk.free)} of the disk is free, so uploads and processing are stopped below ${formatBytes(disk.reserve)}.`,
      room,
    );
  } else if (disk.total > 0 && disk.free < (1 - NEARLY_FULL) * disk.total) {
    add('disk', `The disk is nearly full: ${formatBytes(disk.free)} is free.`, room);
  }
  const missing = Object.entries(confinement ?? {}).flatMap(([what, protections]) =>
    Object.entries(protections)
      .filter(([, holds]) => !holds)
      .map(([name]) => `${name} (${what})`),
  );
  if (missing.length > 0) {
    add(
      'confinement',
      `The processes that decode uploads miss a protection on this system: ${missing.join(', ')}.`,
      'Use a kernel and a container that allow it; the guide page Deployment says which. Uploads are processed meanwhile.',
    );
  }
  return warnings;
}

function workWarnings(facts: OperationsFacts, now: number): Warnings {
  const { failed, deletions, webhooks, nextJobAt, backupAt, storage, database } = facts;
  const warnings: Warnings = [];
  const add = (code: Code, problem: string, action: string) =>
    warnings.push({ code, problem, action });
  if (failed > 0) {
    add(
      'failed-jobs',
      `${count(failed, 'job')} failed in the last week.`,
      'Read the errors below. Retry a job once its cause is removed.',
    );
  }
  if (nextJobAt !== null && now - nextJobAt > MAX_WAIT_MS) {
    add(
      'queue',
      'The next job in the queue has been waiting for more than 15 minutes.',
      'If no job is running, look for errors in the log. Otherwise raise MEDIA_CONCURRENCY, or start more media processes.',
    );
  }
  if (deletions.failing > 0) {
    add(
      'deletions',
      `${count(deletions.failing, 'deletion')} of stored files failed.`,
      'Check that Wharf may delete in the storage. Each is retried at least once an hour.',
    );
  }
  if (webhooks.some(({ unannounced }) => unannounced !== null)) {
    add(
      'payment-webhooks',
      'A payment was made that no webhook announced.',
      'Check the webhook’s address and signing secret at the provider, or run wharf doctor on the server.',
    );
  }
  const isLocal = storage === 'disk' && database.engine === 'sqlite';
  if (isLocal && (backupAt === null || now - backupAt > MAX_BACKUP_AGE_MS)) {
    add(
      'backup',
      backupAt === null ? 'No backup is known.' : 'The last backup is more than a week old.',
      'Run wharf backup with a folder on another disk, and let a timer repeat it every day.',
    );
  }
  return warnings;
}
