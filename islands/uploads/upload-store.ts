import { proxy, ref, useSnapshot } from 'valtio';
import type { FileWire } from '../../server/contract/wire.ts';
import type { UploadKind } from './file-kinds.ts';
import { percentOf } from './queue/progress.ts';

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
  bucketId: string;
  kind: UploadKind;
  file: File;
  phase: Phase;
  /** The most bytes that any attempt has sent: an attempt that starts over takes none of them back. */
  sent: number;
  /** Bytes per second, or null while unknown. */
  rate: number | null;
  /** The progress of the processing, in per cent. */
  progress: number;
  /** The progress of the whole, from the first byte to the end of the processing, in per cent. It never falls. */
  percent: number;
  /** Null until the server has created the file. */
  fileId: string | null;
  /** The file as the server last described it; null until it has ended. */
  created: FileWire | null;
  /** The id under which the server finds the upload. */
  clientId: string;
  /** Why the upload failed, as shown to the user. */
  reason: string | null;
  /** Whether what failed may succeed when it is tried again. */
  canRetry: boolean;
};

/** The uploads of this page. They outlive the dialog that started them. */
export const uploads = proxy<{ rows: UploadListItem[] }>({ rows: [] });

export const useUploads = () => useSnapshot(uploads).rows as readonly UploadListItem[];

const FINAL_PHASES: Phase[] = ['done', 'failed', 'stopped'];
const SENDING: Phase[] = ['waiting', 'sending', 'paused'];
export const hasEnded = ({ phase }: { phase: Phase }) => FINAL_PHASES.includes(phase);
/** Returns whether leaving the page would stop the upload. */
export const isSending = ({ phase }: { phase: Phase }) => SENDING.includes(phase);

/** Returns whether the tray says what becomes of an upload, so that nothing else has to: it runs, or has failed. */
export const isInTray = ({ phase }: { phase: Phase }) => phase !== 'done' && phase !== 'stopped';

let last = 0;

/** What is known of uploads before they start. */
export type NewUpload = Pick<UploadListItem, 'bucketId' | 'kind' | 'file' | 'clientId' | 'sent'>;

/** Adds rows and returns them. Changes to the returned objects are shown. */
export function addRows(added: NewUpload[]): UploadListItem[] {
  const before = uploads.rows.length;
  uploads.rows.push(
    ...added.map((about) => {
      last += 1;
      return {
        ...about,
        id: last,
        // `ref` keeps valtio from wrapping the File in a proxy, which can't be sent.
        file: ref(about.file),
        phase: 'waiting' as const,
        rate: null,
        progress: 0,
        percent: 0,
        fileId: null,
        created: null,
        reason: null,
        canRetry: false,
      };
    }),
  );
  return uploads.rows.slice(before);
}

/** Changes a row, whose progress never falls. */
export function updateRow(row: UploadListItem, changes: Partial<UploadListItem>) {
  Object.assign(row, changes);
  row.percent = Math.max(row.percent, percentOf(row));
}

/** Ends a row, which is shown until the user dismisses it. */
export function endRow(row: UploadListItem, phase: 'stopped'): void;
export function endRow(row: UploadListItem, phase: 'done', created: FileWire): void;
export function endRow(row: UploadListItem, phase: Phase, created: FileWire | null = null) {
  updateRow(row, { phase, reason: null, created: created && ref(created) });
}

/** Ends a row whose upload or processing has failed. */
export function failRow(row: UploadListItem, reason: string, canRetry: boolean) {
  updateRow(row, { phase: 'failed', reason, canRetry });
}

/** Removes rows that have ended. */
export function dismissRows(ids: number[]) {
  const gone = new Set(ids);
  uploads.rows = uploads.rows.filter((row) => !gone.has(row.id) || !hasEnded(row));
}
