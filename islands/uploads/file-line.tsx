import Film from 'lucide-react/icons/film';
import ImageIcon from 'lucide-react/icons/image';
import type { ReactNode } from 'react';
import { truncate } from '../../server/contract/units.ts';
import type { FileType } from '../../server/contract/wire.ts';
import { useThumbnail } from './thumbnail.ts';

/** A file in a list: its picture, its name, what can be done with it, and more below. */
export function FileLine({
  file,
  kind,
  action,
  children,
}: {
  file: File;
  kind: FileType;
  action: ReactNode;
  children: ReactNode;
}) {
  const thumbnail = useThumbnail(file);
  const Icon = kind === 'image' ? ImageIcon : Film;
  return (
    <li className="flex gap-3 border-t border-base-300 py-3 first:border-t-0 first:pt-0 last:pb-0">
      <span className="grid size-10 shrink-0 place-items-center overflow-hidden rounded-md bg-base-300 text-quiet">
        {thumbnail ? (
          <img src={thumbnail} alt="" className="size-full" />
        ) : (
          <Icon size={16} aria-hidden />
        )}
      </span>
      <div className="min-w-0 grow">
        <div className="flex min-h-7 items-start justify-between gap-3">
          <p className="pt-0.5 font-medium wrap-anywhere" title={file.name}>
            {truncate(file.name)}
          </p>
          {/* Higher than its line, for fingers, which the line does not follow. */}
          <div className="-my-1 shrink-0 max-sm:-my-2">{action}</div>
        </div>
        {children}
      </div>
    </li>
  );
}
