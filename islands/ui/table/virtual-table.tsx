import { Fragment, type MouseEvent, type ReactNode, useCallback, useEffect, useRef } from 'react';
import { ROW_KEYS, useRowFocus } from './use-row-focus.ts';
import { useVirtualRows } from './use-virtual-rows.ts';
import { useWalkToEnd } from './use-walk-to-end.ts';
import { WalkNotice } from './walk-notice.tsx';

/**
 * `className` sets the column's width and alignment. A column that sorts the list has a button, which narrow screens
 * hide, and says whether the list is sorted by it.
 */
export type Head = {
  label: string;
  className?: string;
  /** The column has buttons, which say what it is. */
  isHidden?: boolean;
  button?: ReactNode;
  sorted?: 'ascending' | 'descending' | undefined;
};

const head =
  'sticky top-0 z-10 h-10 border-b border-base-300 bg-base-200 px-2 text-xs leading-4 font-medium text-quiet';
/** `onVisibleRows` reports ranges in steps of this, instead of every row that becomes visible. */
const VISIBLE_ROWS_STEP = 25;

/**
 * A long list of rows of 40 px, or on narrow screens cards of 88 px. The document contains only the
 * visible ones. A column of menus follows the columns of `heads`.
 * @param renderRow renders a `tr`; Tab reaches the row with `isStop`
 * @param onVisibleRows called with the first and the last visible row
 * @param children what follows the last row
 */
export function VirtualTable<Row extends { id: string }>({
  label,
  heads,
  rows,
  isComplete,
  renderRow,
  onVisibleRows,
  children,
}: {
  label: string;
  heads: readonly Head[];
  rows: Row[];
  /** False while the server has more rows than these. */
  isComplete: boolean;
  renderRow: (row: Row, index: number, isStop: boolean) => ReactNode;
  onVisibleRows?: (rows: readonly [number, number]) => void;
  children: ReactNode;
}) {
  const box = useRef<HTMLElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const keyOf = useCallback((row: number) => rows[row]?.id ?? '', [rows]);
  const focus = useRowFocus({ count: rows.length, keyOf, body });
  const virtual = useVirtualRows({ count: rows.length, keyOf, focusedRow: focus.row, box, body });
  const { walk, ...end } = useWalkToEnd({
    count: rows.length,
    isComplete,
    goToEnd: () => focus.goToEnd(virtual.show),
  });
  const [first, last] = virtual.seen;
  const [from, to] = [
    first - (first % VISIBLE_ROWS_STEP),
    last - (last % VISIBLE_ROWS_STEP) + VISIBLE_ROWS_STEP,
  ];
  useEffect(() => onVisibleRows?.([from, to]), [onVisibleRows, from, to]);
  const stop = focus.row ?? first;
  const width = heads.length + 1;

  return (
    <section
      ref={box}
      data-scroll-box
      aria-label={label}
      onPointerDown={end.stop}
      onWheel={end.stop}
      className="card md:max-h-[max(20rem,calc(100dvh-22.5rem))] md:scroll-pt-10 md:overflow-auto lg:max-h-[max(20rem,calc(100dvh-16.5rem))]"
    >
      <WalkNotice walk={walk} count={rows.length} />
      <table
        aria-rowcount={isComplete ? rows.length + 1 : -1}
        className="w-full table-fixed border-separate border-spacing-0 text-left max-md:block md:min-w-[43rem]"
      >
        <thead className="max-md:sr-only">
          <tr aria-rowindex={1}>
            {heads.map(({ label, className = '', isHidden, button, sorted }) => (
              <th
                key={label}
                className={`${head} ${className}`}
                // Narrow screens hide the button.
                aria-label={button ? label : undefined}
                aria-sort={sorted}
              >
                {button ?? <span className={isHidden ? 'sr-only' : ''}>{label}</span>}
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
          // After a reload Chromium restores the scroll position by the index of an anchor row, which
          // is another row if the list has changed.
          className="max-md:block max-md:[overflow-anchor:none]"
          onFocus={focus.onFocus}
          onClick={openRow}
          onKeyDown={(event) => {
            focus.onKeyDown(event, { show: virtual.show, page: last - first });
            end.onKeyDown(event);
          }}
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

/** What a click on is meant for itself. */
const CONTROLS = 'a, button, input, label, [role=menu], [popover], dialog';

/** A click anywhere in a row opens what its link opens, unless text is being selected. */
function openRow({ target, ctrlKey, metaKey, shiftKey }: MouseEvent) {
  if (!(target instanceof Element) || target.closest(CONTROLS)) return;
  if (ctrlKey || metaKey || shiftKey || getSelection()?.toString()) return;
  target.closest('tr[data-row]')?.querySelector<HTMLAnchorElement>('a[href]')?.click();
}

/**
 * The space of omitted rows. The server renders none, as the content security policy refuses inline
 * styles; React sets the style by script, which is allowed. The gap must not be a scroll anchor,
 * because its height changes.
 */
function Gap({ height, width }: { height: number; width: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden className="[overflow-anchor:none] max-md:block">
      <td colSpan={width} className="max-md:block" style={{ height }} />
    </tr>
  );
}
