import { Fragment, type ReactNode, useCallback, useEffect, useRef } from 'react';
import type { FileWire } from '../../server/contract/wire.ts';
import type { FileActions } from './file-menu.tsx';
import { FileRow } from './file-row.tsx';
import { useRowFocus } from './use-row-focus.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

const head =
  'sticky top-0 z-10 h-10 border-b border-base-300 bg-base-200 px-2 text-xs leading-4 font-medium text-quiet';
const COLUMNS = 7;
/** What is seen is told roughly, or every row that comes into view would be. */
const STEP = 25;

/**
 * A table, and cards on narrow screens: of many files, those that can be seen are in the page.
 * `jwt` opens the private ones. `onSeen` gets the first and the last row on screen; `children` come
 * after the last row.
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
  const box = useRef<HTMLElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const keyOf = useCallback((row: number) => files[row]?.id ?? '', [files]);
  const focus = useRowFocus({ count: files.length, keyOf, body });
  const rows = useVirtualRows({ count: files.length, keyOf, kept: focus.row, box, body });
  const [first, last] = rows.seen;
  const [from, to] = [first - (first % STEP), last - (last % STEP) + STEP];
  useEffect(() => onSeen([from, to]), [onSeen, from, to]);
  const stop = focus.row ?? first;

  return (
    <section
      ref={box}
      aria-label="Files in this bucket"
      className="card sm:max-h-[max(20rem,calc(100dvh-22.5rem))] sm:scroll-pt-10 sm:overflow-auto lg:max-h-[max(20rem,calc(100dvh-16.5rem))]"
    >
      <table
        aria-rowcount={isWhole ? files.length + 1 : -1}
        className="w-full table-fixed border-separate border-spacing-0 text-left max-sm:block sm:min-w-[43rem]"
      >
        <thead className="max-sm:sr-only">
          <tr aria-rowindex={1}>
            <th className={head}>Name</th>
            <th className={`${head} w-26 text-right`}>Size</th>
            <th className={`${head} w-15 xl:w-22`}>File type</th>
            <th className={`${head} w-17 xl:w-30`}>Access control</th>
            <th className={`${head} w-32 xl:w-40`}>Status</th>
            <th className={`${head} w-36 text-right`}>Created at</th>
            <th className={`${head} w-11`}>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody
          ref={body}
          // Chromium finds the place of a page that is loaded again by the number of the row it saw,
          // where that is another row by then.
          className="max-sm:block max-sm:[overflow-anchor:none]"
          onFocus={focus.onFocus}
          onKeyDown={(event) => focus.onKeyDown(event, { show: rows.show, page: last - first })}
        >
          {rows.items.map(({ index }, at) => {
            const file = files[index];
            if (!file) return null;
            return (
              <Fragment key={file.id}>
                <Gap height={rows.gapBefore(at)} />
                <FileRow file={file} row={index} isStop={index === stop} {...rest} />
              </Fragment>
            );
          })}
          <Gap height={rows.gapAfter} />
        </tbody>
      </table>
      {children}
    </section>
  );
}

/**
 * Where rows are left out. There is none in the server's HTML, where the policy would refuse the
 * style; React in the browser sets it by script, which is allowed. Browsers that keep what is seen
 * in its place while rows come and go must keep rows there, never this.
 */
function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden className="[overflow-anchor:none] max-sm:block">
      <td colSpan={COLUMNS} className="max-sm:block" style={{ height }} />
    </tr>
  );
}
