import FileIcon from 'lucide-react/icons/file';
import Film from 'lucide-react/icons/film';
import ImageIcon from 'lucide-react/icons/image';
import type { ReactNode } from 'react';
import { truncate } from '../../server/contract/units.ts';
import type { UploadKind } from './file-kinds.ts';
import { useThumbnail } from './thumbnail.ts';

const ICONS = { image: ImageIcon, video: Film, file: FileIcon };

/** A file in a list: its thumbnail, its name, an action, and details below. */
export function FileLine({
  file,
  kind,
  action,
  children,
}: {
  file: File;
  kind: UploadKind;
  action: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className="flex gap-3 border-t border-base-300 py-3 first:border-t-0 first:pt-0 last:pb-0">
      <FilePicture file={file} kind={kind} />
      <div className="min-w-0 grow">
        <div className="flex min-h-7 items-start justify-between gap-3">
          <p className="pt-0.5 font-medium wrap-anywhere" title={file.name}>
            {truncate(file.name)}
          </p>
          {/* Buttons are taller than a line of text; the negative margin keeps the line's height. */}
          <div className="-my-1 shrink-0 max-sm:-my-2">{action}</div>
        </div>
        {children}
      </div>
    </li>
  );
}

/** A thumbnail of an image or a video, drawn by the browser; an icon of the kind until then and for other files. */
export function FilePicture({ file, kind }: { file: File; kind: UploadKind }) {
  const thumbnail = useThumbnail(kind === 'file' ? null : file);
  const Icon = ICONS[kind];
  return (
    <span className="grid size-10 shrink-0 place-items-center overflow-hidden rounded-md bg-base-300 text-quiet">
      {thumbnail ? (
        <img src={thumbnail} alt="" className="size-full" />
      ) : (
        <Icon size={16} aria-hidden />
      )}
    </span>
  );
}
