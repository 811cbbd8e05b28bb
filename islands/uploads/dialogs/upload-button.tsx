import Upload from 'lucide-react/icons/upload';
import { useId, useRef } from 'react';
import { SHORTCUTS } from '../../../server/contract/shortcuts.ts';
import { MenuItem, moveFocus, showMenu } from '../../ui/menu/menu.tsx';
import type { UploadKind } from '../file-kinds.ts';

/** The dialogs by which files are added. */
export type AddDialog = UploadKind | 'url' | 's3';

/** The 'Upload' button, whose menu leads to the dialogs for images, for videos, for files of any type, and for URLs. */
export function UploadButton({ onSelect }: { onSelect: (dialog: AddDialog) => void }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const open = () => {
    const at = button.current?.getBoundingClientRect();
    if (at) showMenu(panel.current, { top: at.top - 4, bottom: at.bottom + 4, right: at.right });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="btn btn-primary"
        aria-haspopup="menu"
        aria-controls={id}
        onClick={open}
      >
        <Upload size={16} aria-hidden />
        Upload
      </button>
      <div
        ref={panel}
        id={id}
        role="menu"
        aria-label="Upload"
        popover="auto"
        className="menu-panel fixed"
        onKeyDown={moveFocus}
        onClick={() => panel.current?.hidePopover()}
      >
        <MenuItem shortcut={SHORTCUTS.uploadImage.keys} onSelect={() => onSelect('image')}>
          Upload Image
        </MenuItem>
        <MenuItem shortcut={SHORTCUTS.uploadVideo.keys} onSelect={() => onSelect('video')}>
          Upload Video
        </MenuItem>
        <MenuItem onSelect={() => onSelect('file')}>Upload Files</MenuItem>
        <MenuItem onSelect={() => onSelect('url')}>Import from URL</MenuItem>
        <MenuItem onSelect={() => onSelect('s3')}>Import from S3</MenuItem>
      </div>
    </>
  );
}
