import { Fragment, type ReactNode, useCallback, useEffect, useRef } from 'react';
import { ROW_KEYS, useRowFocus } from './use-row-focus.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

/** `className`: width and side. */
export type Head = { label: string; className?: string };

const head =
  'sticky top-0 z-10 h-10 border-b border-base-300 bg-base-200 px-2 text-xs leading-4 font-medium text-quiet';
/** What is seen is told roughly, or every row that comes into view would be. */
const STEP = 25;

/**
 * A long list: rows of 40 px, on narrow screens cards of 88 px; those that can be seen are in the
 * page. After the columns of `heads` comes one of menus.
 * @param renderRow a `tr`; `isStop` where Tab stops at it
 * @param onSeen gets the first and the last row on screen
 * @param children what comes after the last row
 */
export function VirtualTable<Row extends { id: string }>({
  label,
  heads,
  rows,
  isWhole,
  renderRow,
  onSeen,
  children,
}: {
  label: string;
  heads: readonly Head[];
  rows: Row[];
  /** False while there are more than these. */
  isWhole: boolean;
  renderRow: (row: Row, index: number, isStop: boolean) => ReactNode;
  onSeen?: (rows: readonly [number, number]) => void;
  children: ReactNode;
}) {
  const box = useRef<HTMLElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const keyOf = useCallback((row: number) => rows[row]?.id ?? '', [rows]);
  const focus = useRowFocus({ count: rows.length, keyOf, body });
  const virtual = useVirtualRows({ count: rows.length, keyOf, kept: focus.row, box, body });
  const [first, last] = virtual.seen;
  const [from, to] = [first - (first % STEP), last - (last % STEP) + STEP];
  useEffect(() => onSeen?.([from, to]), [onSeen, from, to]);
  const stop = focus.row ?? first;
  const width = heads.length + 1;

  return (
    <section
      ref={box}
      aria-label={label}
      className="card sm:max-h-[max(20rem,calc(100dvh-22.5rem))] sm:scroll-pt-10 sm:overflow-auto lg:max-h-[max(20rem,calc(100dvh-16.5rem))]"
    >
      <table
        aria-rowcount={isWhole ? rows.length + 1 : -1}
        className="w-full table-fixed border-separate border-spacing-0 text-left max-sm:block sm:min-w-[43rem]"
      >
        <thead className="max-sm:sr-only">
          <tr aria-rowindex={1}>
            {heads.map(({ label, className = '' }) => (
              <th key={label} className={`${head} ${className}`}>
                {label}
              </th>
            ))}
            <th className={`${head} w-11`}>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody
          ref={body}
          data-keys={ROW_KEYS}
          // Chromium finds the place of a page that is loaded again by the number of the row it saw,
          // where that is another row by then.
          className="max-sm:block max-sm:[overflow-anchor:none]"
          onFocus={focus.onFocus}
          onKeyDown={(event) => focus.onKeyDown(event, { show: virtual.show, page: last - first })}
        >
          {virtual.items.map(({ index }, at) => {
            const row = rows[index];
            if (!row) return null;
            return (
              <Fragment key={row.id}>
                <Gap height={virtual.gapBefore(at)} width={width} />
                {renderRow(row, index, index === stop)}
              </Fragment>
            );
          })}
          <Gap height={virtual.gapAfter} width={width} />
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
function Gap({ height, width }: { height: number; width: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden className="[overflow-anchor:none] max-sm:block">
      <td colSpan={width} className="max-sm:block" style={{ height }} />
    </tr>
  );
}
