import type { MouseEvent } from 'react';

/** Returns the properties of a link that opens a folder in this page, or with a key in another tab. */
export const folderLink = (folder: string, onFolder: (folder: string) => void) => ({
  href: `?${new URLSearchParams({ folder })}`,
  onClick: (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onFolder(folder);
  },
});
