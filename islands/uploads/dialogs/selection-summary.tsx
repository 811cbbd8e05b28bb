import { formatBytes } from '../../../server/contract/units.ts';

/** How many files are chosen and what they weigh: the list below shows but the first of many. */
export function SelectionSummary({ files }: { files: File[] }) {
  if (files.length < 2) return null;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <p className="text-xs text-quiet">
      {files.length} files, {formatBytes(bytes)}
    </p>
  );
}
