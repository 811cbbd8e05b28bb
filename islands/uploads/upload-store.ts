import { proxy, ref, useSnapshot } from 'valtio';
import type { UploadKind } from './file-kinds.ts';

/** `stopping` lasts until the server has deleted what it received. */
export type Phase =
  | 'waiting'
  | 'sending'
  | 'paused'
  | 'processing'
  | 'stopping'
  | 'done'
  | 'failed'
  | 'stopped';

/** One file's upload, from the press of 'Upload' to the end of its processing. */
export type UploadListItem = {
  id: number;
  /** The number that the files of one dialog have in common. */
  batch: number;
  bucketId: string;
  kind: UploadKind;
  file: File;
  phase: Phase;
  /** Bytes. */
  sent: number;
  /** Bytes per second, or null while unknown. */
  rate: number | null;
  /** The progress of the processing, in per cent. */
  progress: number;
  /** Null until the server has created the file. */
  fileId: string | null;
  /** The id under which the server finds the upload. */
  clientId: string;
  /** Why the upload failed, as shown to the user. */
  reason: string | null;
  /** The tray shows the upload, because its dialog is closed. */
  inBackground: boolean;
};

/** The uploads of this page. They outlive the dialog that started them. */
export const uploads = proxy<{ rows: UploadListItem[] }>({ rows: [] });

export const useUploads = () => useSnapshot(uploads).rows as readonly UploadListItem[];

const FINAL_PHASES: Phase[] = ['done', 'failed', 'stopped'];
const SENDING: Phase[] = ['waiting', 'sending', 'paused'];
export const hasEnded = ({ phase }: { phase: Phase }) => FINAL_PHASES.includes(phase);
/** Returns whether leaving the page would stop the upload. */
export const isSending = ({ phase }: { phase: Phase }) => SENDING.includes(phase);

let last = 0;
export const nextNumber = () => {
  last += 1;
  return last;
};

/** Adds a row and returns it. Changes to the returned object are shown. */
export function addRow(
  about: Pick<UploadListItem, 'batch' | 'bucketId' | 'kind' | 'file' | 'clientId' | 'sent'>,
): UploadListItem {
  const id = nextNumber();
  uploads.rows.push({
    ...about,
    id,
    // `ref` keeps valtio from wrapping the File in a proxy, which can't be sent.
    file: ref(about.file),
    phase: 'waiting',
    rate: null,
    progress: 0,
    fileId: null,
    reason: null,
    inBackground: false,
  });
  return uploads.rows.at(-1) as UploadListItem;
}

export const findRow = (fileId: string) => uploads.rows.find((row) => row.fileId === fileId);

/** Ends a row. In the background only a failed upload stays, until the user dismisses it. */
export function endRow(row: UploadListItem, phase: 'done' | 'stopped'): void;
export function endRow(row: UploadListItem, phase: 'failed', reason: string): void;
export function endRow(row: UploadListItem, phase: Phase, reason: string | null = null) {
  row.phase = phase;
  row.reason = reason;
  if (row.inBackground && phase !== 'failed') dropRow(row.id);
}

export function dropRow(id: number) {
  uploads.rows = uploads.rows.filter((row) => row.id !== id);
}

/** Moves the running and failed uploads of a dialog to the background. */
export function leaveBatch(batch: number) {
  for (const row of uploads.rows) if (row.batch === batch) row.inBackground = true;
  uploads.rows = uploads.rows.filter(
    (row) => row.batch !== batch || !hasEnded(row) || row.phase === 'failed',
  );
}

export function dropBatch(batch: number) {
  uploads.rows = uploads.rows.filter((row) => row.batch !== batch);
}
