import { useEffect, useEffectEvent, useState } from 'react';
import { createLimiter } from '../../../server/contract/limiter.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { notify } from '../../runtime/notify.ts';
import { withRetry } from '../transport/retry.ts';
import type { UploadCallbacks } from '../transport/send-form.ts';
import { removeFile } from '../transport/upload-calls.ts';
import {
  addRow,
  dropBatch,
  endRow,
  hasEnded,
  leaveBatch,
  nextNumber,
  type UploadListItem,
  uploads,
  useUploads,
} from '../upload-store.ts';
import { createRateMeter } from './rate.ts';

/** One file's upload. Each kind is sent and undone in its own way. */
export type Upload = {
  about: Pick<UploadListItem, 'kind' | 'file' | 'clientId' | 'sent'>;
  send: (sending: UploadCallbacks) => Promise<FileWire>;
  /** Deletes what the server has received so far. It can be called more than once. */
  undo: () => Promise<unknown>;
};

const UPLOAD_CONCURRENCY = 3;
const limited = createLimiter(UPLOAD_CONCURRENCY);
const stops = new Map<number, AbortController>();

/**
 * Uploads the files of one dialog, a few at once. The uploads continue after the dialog is closed.
 * @param onChange called whenever the files of the bucket have changed
 * @returns the batch number of the rows
 */
function startUploads(bucketId: string, all: Upload[], onChange: () => unknown): number {
  const batch = nextNumber();
  for (const upload of all) {
    const row = addRow({ ...upload.about, batch, bucketId });
    void run(row, upload, all.length > 1).finally(onChange);
  }
  return batch;
}

async function run(row: UploadListItem, upload: Upload, hasOtherRows: boolean): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  stops.set(row.id, controller);
  try {
    const file = await limited(() => upload.send({ signal, ...callbacksFor(row) }), signal);
    if (signal.aborted) {
      await withRetry(() => removeFile(row.bucketId, file.id));
      endRow(row, 'stopped');
    } else if (file.status === 'success') {
      endRow(row, 'done');
    } else {
      Object.assign(row, { phase: 'processing', fileId: file.id, progress: file.progress });
    }
  } catch (error) {
    if (signal.aborted) await withRetry(upload.undo).then(() => endRow(row, 'stopped'), failWith);
    else failWith(error);
  } finally {
    stops.delete(row.id);
  }

  function failWith(error: unknown) {
    fail(row, error instanceof ApiError ? error.message : MESSAGES.unexpected, hasOtherRows);
  }
}

function callbacksFor(row: UploadListItem): Omit<UploadCallbacks, 'signal'> {
  const meter = createRateMeter();
  return {
    onSent(bytes) {
      if (row.phase === 'stopping') return;
      Object.assign(row, { phase: 'sending', sent: bytes, rate: meter.add(Date.now(), bytes) });
    },
    onPause() {
      if (row.phase !== 'stopping') Object.assign(row, { phase: 'paused', rate: null });
    },
  };
}

/** Ends a row and shows why in a toast, which names the file if there are several. */
export function fail(row: UploadListItem, reason: string, hasOtherRows = hasOthers(row)) {
  notify.error(hasOtherRows ? `${row.file.name}: ${reason}` : reason);
  endRow(row, 'failed', reason);
}

const hasOthers = (row: UploadListItem) =>
  uploads.rows.some(({ id, batch }) => batch === row.batch && id !== row.id);

/** Stops an upload or the processing of its file, and deletes it on the server. */
export async function stopUpload(id: number): Promise<void> {
  const row = uploads.rows.find((one) => one.id === id);
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

/**
 * The uploads that a dialog has started, until the last of them has ended.
 * @param onEnd called when all have ended or continue in the background, to close and reset the dialog
 */
export function useBatch(bucketId: string, onChange: () => unknown, onEnd: () => void) {
  const [batch, setBatch] = useState<number | null>(null);
  const rows = useUploads().filter((row) => row.batch === batch);
  const over = batch !== null && rows.every(hasEnded);

  const end = useEffectEvent((endedBatch: number) => {
    if (rows.length > 0 && rows.every(({ phase }) => phase === 'stopped')) {
      notify.success('Upload stopped.');
    }
    // A single file's toast has said everything. With several, the tray keeps those that failed.
    if (rows.length > 1) leaveBatch(endedBatch);
    else dropBatch(endedBatch);
    setBatch(null);
    onEnd();
  });
  useEffect(() => {
    if (over && batch !== null) end(batch);
  }, [over, batch]);
  // Another page of the dashboard may be opened while the dialog is open.
  useEffect(() => {
    if (batch !== null) return () => leaveBatch(batch);
  }, [batch]);

  return {
    rows,
    isBusy: batch !== null,
    start: (uploads: Upload[]) => setBatch(startUploads(bucketId, uploads, onChange)),
    /** Moves the uploads to the tray. */
    leave() {
      if (batch !== null) leaveBatch(batch);
      setBatch(null);
      onEnd();
    },
  };
}
