import type { UploadKind } from '../file-kinds.ts';
import type { UploadListItem } from '../upload-store.ts';

/** How much of the whole the sending is, in per cent. The rest is the processing, which takes a video longest. */
const SENDING_SHARE: Record<UploadKind, number> = { file: 100, image: 90, video: 50 };

/** Returns the progress of an upload in whole per cent, the sending and the processing together. */
export function percentOf({
  kind,
  phase,
  sent,
  progress,
  file,
}: Pick<UploadListItem, 'kind' | 'phase' | 'sent' | 'progress'> & {
  file: { size: number };
}): number {
  if (phase === 'done') return 100;
  const share = SENDING_SHARE[kind];
  if (phase === 'processing') return Math.floor(share + ((100 - share) * progress) / 100);
  // What is sent completely is not done: the server still has to answer.
  return Math.min(99, Math.floor((share * sent) / Math.max(1, file.size)));
}

/** Returns the progress of several uploads in whole per cent, by their bytes. What failed or was stopped is left out. */
export function totalPercent(
  rows: readonly Pick<UploadListItem, 'percent' | 'phase' | 'file'>[],
): number {
  const counted = rows.filter(({ phase }) => phase !== 'failed' && phase !== 'stopped');
  const weightOf = ({ file }: { file: { size: number } }) => Math.max(1, file.size);
  const total = counted.reduce((sum, row) => sum + weightOf(row), 0);
  const done = counted.reduce((sum, row) => sum + weightOf(row) * row.percent, 0);
  return total === 0 ? 100 : Math.floor(done / total);
}
