import { proxy, ref, useSnapshot } from 'valtio';
import type { FileType } from '../../server/contract/wire.ts';

/** `stopping` is until the server has removed what it had. */
export type Phase =
  | 'waiting'
  | 'sending'
  | 'paused'
  | 'processing'
  | 'stopping'
  | 'done'
  | 'failed'
  | 'stopped';

/** One file on its way, from the press of 'Upload' to the end of its processing. */
export type UploadListItem = {
  id: number;
  /** The files that one dialog sends together. */
  batch: number;
  bucketId: string;
  kind: FileType;
  file: File;
  phase: Phase;
  /** Bytes. */
  sent: number;
  /** Bytes per second; null while it is not known. */
  rate: number | null;
  /** Per cent of the processing. */
  progress: number;
  /** Once the server has made it a file. */
  fileId: string | null;
  /** Of a video. */
  clientId: string | null;
  /** Why it failed, for a person. */
  reason: string | null;
  /** Its dialog is closed: the tray shows it. */
  inBackground: boolean;
};

/** The uploads of this page. They outlive the dialog that began them. */
export const uploads = proxy<{ rows: UploadListItem[] }>({ rows: [] });

export const useUploads = () => useSnapshot(uploads).rows as readonly UploadListItem[];

const ENDED: Phase[] = ['done', 'failed', 'stopped'];
const SENDING: Phase[] = ['waiting', 'sending', 'paused'];
export const hasEnded = ({ phase }: { phase: Phase }) => ENDED.includes(phase);
/** Whether leaving the page would lose something. */
export const isSending = ({ phase }: { phase: Phase }) => SENDING.includes(phase);

let last = 0;
export const nextNumber = () => {
  last += 1;
  return last;
};

/** Adds a row that waits for its turn, and answers it: what is set on it is shown. */
export function addRow(
  about: Pick<UploadListItem, 'batch' | 'bucketId' | 'kind' | 'file' | 'clientId' | 'sent'>,
): UploadListItem {
  const id = nextNumber();
  uploads.rows.push({
    ...about,
    id,
    // The browser's own object: a proxy of it can't be sent.
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

export const rowOf = (fileId: string) => uploads.rows.find((row) => row.fileId === fileId);

/** Ends a row. In the background only a failure stays, until somebody has read it. */
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

/** Its dialog closes: what goes on, and what went wrong, is in the background from now on. */
export function leaveBatch(batch: number) {
  for (const row of uploads.rows) if (row.batch === batch) row.inBackground = true;
  uploads.rows = uploads.rows.filter(
    (row) => row.batch !== batch || !hasEnded(row) || row.phase === 'failed',
  );
}

export function dropBatch(batch: number) {
  uploads.rows = uploads.rows.filter((row) => row.batch !== batch);
}
