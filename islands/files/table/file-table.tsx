import type { ReactNode } from 'react';
import type { FileWire } from '../../../server/contract/wire.ts';
import { VirtualTable } from '../../ui/table/virtual-table.tsx';
import type { FileActions } from './file-menu.tsx';
import { FileRow } from './file-row.tsx';

const HEADS = [
  { label: 'Size' },
  { label: 'File type', className: 'w-15 xl:w-22' },
  { label: 'Access control', className: 'w-17 xl:w-30' },
  { label: 'Status', className: 'w-32 xl:w-40' },
  { label: 'Created at', className: 'w-36 text-right' },
];

/**
 * The files of a bucket. `jwt` opens the private ones. `onSeen` gets the first and the last row on
 * screen; `children` come after the last row.
 */
export function FileTable({
  files,
  isWhole,
  onSeen,
  children,
  ...rest
}: {
  files: FileWire[];
  /** False while there are more than these. */
  isWhole: boolean;
  jwt: string;
  onSeen: (rows: readonly [number, number]) => void;
  children: ReactNode;
} & FileActions) {
  return (
    <VirtualTable
      label="Files in this bucket"
      heads={HEADS}
      rows={files}
      isWhole={isWhole}
      onSeen={onSeen}
      renderRow={(file, row, isStop) => <FileRow file={file} row={row} isStop={isStop} {...rest} />}
    >
      {children}
    </VirtualTable>
  );
}
