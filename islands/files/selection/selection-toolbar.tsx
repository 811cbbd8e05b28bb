import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import { Button } from '../../ui/form/button.tsx';

/**
 * How many files are selected, and what can be done with them. It is above the head of the table, or on narrow screens
 * at the bottom of the window, so that no row moves.
 */
export function SelectionToolbar({
  files,
  onClear,
  children,
}: {
  files: readonly { size: number }[];
  onClear: () => void;
  children: ReactNode;
}) {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <div
      role="toolbar"
      aria-label="Selected files"
      className="absolute inset-x-px top-px z-20 flex h-10 items-center gap-1 rounded-t-lg border-b border-base-300 bg-base-200 px-2 max-md:fixed max-md:inset-x-3 max-md:top-auto max-md:bottom-3 max-md:h-14 max-md:rounded-lg max-md:border max-md:shadow-2xl"
    >
      <Button
        className="btn-ghost btn-square btn-sm"
        aria-label="Clear selection"
        onClick={onClear}
      >
        <X size={16} aria-hidden />
      </Button>
      <p className="numbers mr-auto min-w-0 truncate font-medium" role="status">
        {files.length} selected{' '}
        <span className="font-normal text-quiet max-[26rem]:hidden">{formatBytes(bytes)}</span>
      </p>
      {children}
    </div>
  );
}
