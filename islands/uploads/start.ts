import { createLimiter } from '../../server/contract/limiter.ts';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { ApiFailure } from '../failure.ts';
import { notify } from '../notify.ts';
import { patiently } from './patience.ts';
import { rateMeter } from './rate.ts';
import { addRow, endRow, nextNumber, type UploadRow, uploads } from './rows.ts';
import type { Sending } from './sending.ts';
import { removeFile } from './video-calls.ts';

/** One file's upload, as the kind of file has it. */
export type Upload = {
  about: Pick<UploadRow, 'kind' | 'file' | 'clientId' | 'sent'>;
  send: (sending: Sending) => Promise<FileWire>;
  /** Removes from the server what has arrived so far. May be called again. */
  undo: () => Promise<unknown>;
};

const AT_ONCE = 3;
const limited = createLimiter(AT_ONCE);
const stops = new Map<number, AbortController>();

/**
 * Sends files of one dialog, a few at once, and goes on whatever becomes of the dialog.
 * @param onChange called when the bucket's files are others now
 * @returns the number of the batch that their rows have
 */
export function startUploads(bucketId: string, all: Upload[], onChange: () => unknown): number {
  const batch = nextNumber();
  for (const upload of all) {
    const row = addRow({ ...upload.about, batch, bucketId });
    void run(row, upload, all.length > 1).finally(onChange);
  }
  return batch;
}

async function run(row: UploadRow, upload: Upload, isOneOfMany: boolean): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  stops.set(row.id, controller);
  try {
    const file = await limited(() => upload.send({ signal, ...tellOf(row) }), signal);
    if (signal.aborted) {
      await patiently(() => removeFile(row.bucketId, file.id));
      endRow(row, 'stopped');
    } else {
      Object.assign(row, { phase: 'processing', fileId: file.id, progress: file.progress });
    }
  } catch (error) {
    if (signal.aborted) await patiently(upload.undo).then(() => endRow(row, 'stopped'), failWith);
    else failWith(error);
  } finally {
    stops.delete(row.id);
  }

  function failWith(error: unknown) {
    fail(row, error instanceof ApiFailure ? error.message : MESSAGES.unexpected, isOneOfMany);
  }
}

function tellOf(row: UploadRow): Omit<Sending, 'signal'> {
  const meter = rateMeter();
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

/** Ends a row with a toast; among many it says which. */
export function fail(row: UploadRow, reason: string, isOneOfMany = hasOthers(row)) {
  notify.error(isOneOfMany ? `${row.file.name}: ${reason}` : reason);
  endRow(row, 'failed', reason);
}

const hasOthers = (row: UploadRow) =>
  uploads.rows.some(({ id, batch }) => batch === row.batch && id !== row.id);

/** Stops an upload, and what the server does with it, and removes it there. */
export async function stopUpload(id: number): Promise<void> {
  const row = uploads.rows.find((one) => one.id === id);
  if (!row) return;
  const { phase, fileId } = row;
  row.phase = 'stopping';
  stops.get(id)?.abort(new DOMException('The upload was stopped.', 'AbortError'));
  if (!fileId) return;
  try {
    await patiently(() => removeFile(row.bucketId, fileId));
    endRow(row, 'stopped');
  } catch (error) {
    row.phase = phase;
    notify.failure(error);
  }
}
