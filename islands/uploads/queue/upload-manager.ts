import { createLimiter } from '../../../server/contract/limiter.ts';
import { SECOND } from '../../../server/contract/limits.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { notify } from '../../runtime/notify.ts';
import { UPLOADS_EVENT } from '../../runtime/page-events.ts';
import { canSucceedLater, withRetry } from '../transport/retry.ts';
import type { UploadCallbacks } from '../transport/send-form.ts';
import { processAgain, removeFile } from '../transport/upload-calls.ts';
import {
  addRows,
  dismissRows,
  endRow,
  failRow,
  type NewUpload,
  type UploadListItem,
  updateRow,
  uploads,
} from '../upload-store.ts';
import { createRateMeter } from './rate.ts';

/** One file's upload. Each kind is sent and undone in its own way. */
export type Upload = {
  about: Omit<NewUpload, 'bucketId'>;
  send: (sending: UploadCallbacks) => Promise<FileWire>;
  /** Deletes what the server has received so far. It can be called more than once. */
  undo: () => Promise<unknown>;
};

const UPLOAD_CONCURRENCY = 3;
/** A row that changed with every packet would keep the page busy. */
const SHOWN_INTERVAL_MS = SECOND / 5;
const limited = createLimiter(UPLOAD_CONCURRENCY);
const stops = new Map<number, AbortController>();
/** How the uploads of rows are sent again. */
const retries = new Map<number, () => void>();

/**
 * Uploads files, a few at once. The uploads continue after the dialog is closed.
 * @param onChange called whenever the files of the bucket have changed
 */
export function startUploads(bucketId: string, all: Upload[], onChange: () => unknown): void {
  // One that is resumed by itself is shown before the user moves the pointer, which loads the tray otherwise.
  document.dispatchEvent(new Event(UPLOADS_EVENT));
  const rows = addRows(all.map(({ about }) => ({ ...about, bucketId })));
  for (const [at, upload] of all.entries()) {
    const row = rows[at];
    if (!row) continue;
    const start = () => void run(row, upload).finally(onChange);
    retries.set(row.id, start);
    start();
  }
}

async function run(row: UploadListItem, upload: Upload): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  stops.set(row.id, controller);
  try {
    const file = await limited(() => {
      updateRow(row, { phase: 'sending' });
      return upload.send({ signal, ...callbacksFor(row) });
    }, signal);
    if (signal.aborted) {
      await withRetry(() => removeFile(row.bucketId, file.id));
      endRow(row, 'stopped');
    } else if (file.status === 'success') {
      endRow(row, 'done', file);
    } else {
      updateRow(row, { phase: 'processing', fileId: file.id, progress: file.progress });
    }
  } catch (error) {
    if (signal.aborted) await withRetry(upload.undo).then(() => endRow(row, 'stopped'), failWith);
    else failWith(error);
  } finally {
    stops.delete(row.id);
  }

  function failWith(error: unknown) {
    const reason = error instanceof ApiError ? error.message : MESSAGES.unexpected;
    failRow(row, reason, canSucceedLater(error));
  }
}

function callbacksFor(row: UploadListItem): Omit<UploadCallbacks, 'signal'> {
  const meter = createRateMeter();
  let shownAt = 0;
  return {
    onSent(bytes) {
      if (row.phase === 'stopping') return;
      const now = Date.now();
      const rate = meter.add(now, bytes);
      if (row.phase === 'sending' && now - shownAt < SHOWN_INTERVAL_MS && bytes < row.file.size)
        return;
      shownAt = now;
      // While an attempt sends again what an earlier one had sent, the time left is not known.
      updateRow(row, {
        phase: 'sending',
        sent: Math.max(row.sent, bytes),
        rate: bytes < row.sent ? null : rate,
      });
    },
    onPause() {
      if (row.phase !== 'stopping') updateRow(row, { phase: 'paused', rate: null });
    },
  };
}

const findById = (id: number) => uploads.rows.find((row) => row.id === id);

/** Sends a file whose upload has failed again, or processes it again. */
export async function retryUpload(id: number): Promise<void> {
  const row = findById(id);
  if (row?.phase !== 'failed' || !row.canRetry) return;
  const { fileId } = row;
  if (!fileId) {
    updateRow(row, { phase: 'waiting', reason: null });
    return retries.get(id)?.();
  }
  updateRow(row, { phase: 'processing', reason: null });
  try {
    await processAgain(row.bucketId, fileId);
  } catch (error) {
    const reason = error instanceof ApiError ? error.message : MESSAGES.unexpected;
    failRow(row, reason, canSucceedLater(error));
  }
}

/** Removes uploads that have ended from the list. */
export function dismissUploads(ids: number[]): void {
  for (const id of ids) retries.delete(id);
  dismissRows(ids);
}

/** Stops an upload or the processing of its file, and deletes it on the server. */
export async function stopUpload(id: number): Promise<void> {
  const row = findById(id);
  if (!row) return;
  const { phase, fileId } = row;
  row.phase = 'stopping';
  stops.get(id)?.abort(new DOMException('The upload was stopped.', 'AbortError'));
  if (!fileId) return;
  try {
    await withRetry(() => removeFile(row.bucketId, fileId));
    endRow(row, 'stopped');
  } catch (error) {
    row.phase = phase;
    notify.failure(error);
  }
}
