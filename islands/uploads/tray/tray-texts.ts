import { count, formatBytes } from '../../../server/contract/units.ts';
import { remainingTime } from '../queue/rate.ts';
import { hasEnded, isSending, type UploadListItem } from '../upload-store.ts';

type Row = Pick<UploadListItem, 'phase' | 'reason' | 'file'>;

const CONNECTION_LOST = 'Connection lost. Resuming when you’re back online.';

/** Returns what the head of the tray says: how many files are on their way, and how many have failed. */
export function headOf(rows: readonly Row[]): string {
  const running = rows.filter((row) => !hasEnded(row));
  const failed = rows.filter(({ phase }) => phase === 'failed').length;
  const isAnySending = running.some((row) => isSending(row));
  const head =
    running.length === 0
      ? 'Uploads finished'
      : `${isAnySending ? 'Uploading' : 'Processing'} ${count(running.length, 'file')}`;
  return failed === 0 ? head : `${head} (${failed} failed)`;
}

/**
 * Returns what screen readers say when it changes: that uploads have started, what has failed and why, and that all
 * have ended. The progress of each file would say too much.
 */
export function announcementOf(rows: readonly Row[]): string {
  if (rows.some(({ phase }) => phase === 'paused')) return CONNECTION_LOST;
  const failed = rows.findLast(({ phase }) => phase === 'failed');
  const failure = failed && `${failed.file.name}: ${failed.reason}`;
  const isOver = rows.every(hasEnded);
  if (isOver) return [headOf(rows), failure].filter(Boolean).join('. ');
  return failure ?? `${count(rows.length, 'upload')} started`;
}

/** Returns the second line of a row: the figures of what is sent, or the state that it is in. */
export function stateOf({
  phase,
  reason,
  file,
  sent,
  rate,
}: Pick<UploadListItem, 'phase' | 'reason' | 'file' | 'sent' | 'rate'>): string {
  switch (phase) {
    case 'waiting':
      return `${formatBytes(file.size)} · Waiting in the queue.`;
    case 'sending':
      return [
        `${formatBytes(sent)} of ${formatBytes(file.size)}`,
        rate !== null && `${formatBytes(rate)}/s`,
        remainingTime(file.size - sent, rate),
      ]
        .filter(Boolean)
        .join(' · ');
    case 'paused':
      return CONNECTION_LOST;
    case 'processing':
      return 'Uploaded. Processing the file.';
    case 'stopping':
      return 'Stopping.';
    case 'done':
      return `${formatBytes(file.size)} · Ready.`;
    case 'stopped':
      return 'Stopped.';
    case 'failed':
      return reason ?? '';
  }
}

/** What is shown of a long list first. */
const URGENCY: Record<UploadListItem['phase'], number> = {
  failed: 0,
  paused: 1,
  sending: 1,
  stopping: 1,
  processing: 2,
  waiting: 3,
  done: 4,
  stopped: 4,
};

/**
 * Returns the rows of a list that are shown, at most `limit`, in the order of the list: those that have failed or are
 * under way come before those that wait, and these before those that have ended.
 */
export function shownRows<Item extends Pick<UploadListItem, 'id' | 'phase'>>(
  rows: readonly Item[],
  limit: number,
): readonly Item[] {
  if (rows.length <= limit) return rows;
  const urgent = rows.toSorted((a, b) => URGENCY[a.phase] - URGENCY[b.phase]).slice(0, limit);
  const ids = new Set(urgent.map(({ id }) => id));
  return rows.filter(({ id }) => ids.has(id));
}
