import type { DragEvent } from 'react';
import type { FileWire } from '../../../server/contract/wire.ts';

/** Tells a drag of our rows from one of files of the computer, or of anything else. */
const TYPE = 'application/x-wharf-files';
/** What is dragged can be read only when it is dropped, and then as a text. */
let dragged: FileWire[] = [];

/** Returns the listener of a row whose link drags files. */
export const dragOf = (files: FileWire[]) => ({
  onDragStart({ dataTransfer }: DragEvent) {
    dragged = files;
    dataTransfer.effectAllowed = 'move';
    dataTransfer.setData(TYPE, '');
  },
});

/** Returns the listeners of what stands for a folder. It has `data-over` while files are over it. */
export const dropOn = (folder: string, onFiles: (files: FileWire[], folder: string) => void) => ({
  onDragOver(event: DragEvent<HTMLElement>) {
    if (!event.dataTransfer.types.includes(TYPE)) return;
    event.preventDefault();
    event.currentTarget.dataset.over = '';
  },
  onDragLeave: ({ currentTarget }: DragEvent<HTMLElement>) => delete currentTarget.dataset.over,
  onDrop(event: DragEvent<HTMLElement>) {
    delete event.currentTarget.dataset.over;
    if (!event.dataTransfer.types.includes(TYPE)) return;
    event.preventDefault();
    onFiles(dragged, folder);
  },
});
