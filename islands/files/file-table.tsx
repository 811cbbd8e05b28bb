import { useRef } from 'react';
import { formatBytes, truncate } from '../../server/contract/units.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import type { MenuHandle } from '../ui/menu.tsx';
import { Time } from '../ui/time.tsx';
import { type FileActions, FileMenu } from './file-menu.tsx';
import { FileStatusCell } from './file-status.tsx';

const TYPES = { image: 'Image', video: 'Video' };
const ACCESS = { public: 'Public', private: 'Private' };

const head =
  'sticky top-0 z-10 h-10 border-b border-base-300 bg-base-200 px-2.5 text-xs font-medium text-quiet';
/** Below 640 px a row is a card, and a cell a line of it with its column's name. */
const cell =
  'px-2.5 py-2 max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:py-1 max-sm:before:text-quiet max-sm:before:content-[attr(data-label)]';

/** A table, and cards on narrow screens. `jwt` opens the private files. */
export function FileTable({ files, ...rest }: { files: FileWire[]; jwt: string } & FileActions) {
  return (
    <table className="w-full table-fixed border-separate border-spacing-0 text-left max-sm:block sm:min-w-[46rem]">
      <thead className="max-sm:hidden">
        <tr>
          <th className={head}>Name</th>
          <th className={`${head} w-26 text-right`}>Size</th>
          <th className={`${head} w-18`}>File type</th>
          <th className={`${head} w-22 xl:w-30`}>Access control</th>
          <th className={`${head} w-36`}>Status</th>
          <th className={`${head} w-36 text-right`}>Created at</th>
          <th className={`${head} w-11`}>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {files.map((file) => (
          <FileRow key={file.id} file={file} {...rest} />
        ))}
      </tbody>
    </table>
  );
}

function FileRow({ file, ...rest }: { file: FileWire; jwt: string } & FileActions) {
  const menu = useRef<MenuHandle>(null);
  return (
    <tr
      onContextMenu={(event) => menu.current?.openBy(event)}
      className="hover:bg-base-content/4 max-sm:relative max-sm:block max-sm:border-t max-sm:border-base-300 max-sm:py-2 max-sm:first:border-t-0 sm:h-10 sm:not-first:*:border-t sm:*:border-base-300"
    >
      <td
        className="px-2.5 py-2 font-medium wrap-anywhere max-sm:block max-sm:py-1 max-sm:pr-14"
        title={file.name}
      >
        <a
          href={`?file=${file.id}`}
          className="hover:underline"
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            rest.onDetails(file);
          }}
        >
          {truncate(file.name)}
        </a>
      </td>
      <td className={`${cell} numbers whitespace-nowrap sm:text-right`} data-label="Size">
        {formatBytes(file.size)}
      </td>
      <td className={cell} data-label="File type">
        {TYPES[file.file_type]}
      </td>
      <td className={cell} data-label="Access control">
        {ACCESS[file.access]}
      </td>
      <td className={cell} data-label="Status">
        <FileStatusCell file={file} />
      </td>
      <td className={`${cell} sm:text-right`} data-label="Created at">
        <Time iso={file.date} withTime />
      </td>
      <td className="px-1.5 py-1 text-right max-sm:absolute max-sm:top-1 max-sm:right-1">
        <FileMenu ref={menu} file={file} {...rest} />
      </td>
    </tr>
  );
}
