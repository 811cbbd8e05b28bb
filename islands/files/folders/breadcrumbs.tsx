import ChevronRight from 'lucide-react/icons/chevron-right';
import { truncate } from '../../../server/contract/units.ts';
import { dropOn } from '../moves/drag.ts';
import { folderLink } from './folder-link.ts';
import type { FolderActions } from './folder-menu.tsx';

/** The way from the top of a bucket to a folder. */
export function Breadcrumbs({
  folder,
  onFolder,
  onDropFiles,
}: {
  /** It ends in '/'; '' for the top. */
  folder: string;
  onFolder: (folder: string) => void;
} & Pick<FolderActions, 'onDropFiles'>) {
  const names = folder.split('/').slice(0, -1);
  const steps = names.map((name, at) => ({ name, path: `${names.slice(0, at + 1).join('/')}/` }));
  return (
    <nav aria-label="Folder" className="min-w-0">
      <ol className="flex flex-wrap items-center gap-x-1 gap-y-2">
        {[{ name: 'All folders', path: '' }, ...steps].map(({ name, path }) => (
          <li key={path} className="flex min-w-0 items-center gap-1">
            {path !== '' && <ChevronRight size={14} aria-hidden className="shrink-0 text-quiet" />}
            {path === folder ? (
              <span aria-current="page" className="px-1 py-0.5 font-medium wrap-anywhere">
                {truncate(name)}
              </span>
            ) : (
              <a
                {...folderLink(path, onFolder)}
                {...dropOn(path, onDropFiles)}
                className="data-over:outline-2 data-over:outline-primary rounded px-1 py-0.5 text-quiet wrap-anywhere hover:text-base-content hover:underline"
              >
                {truncate(name)}
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
