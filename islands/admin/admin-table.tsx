import { Fragment, type ReactNode, useCallback, useRef } from 'react';
import { useRowFocus } from '../files/use-row-focus.ts';
import { useVirtualRows } from '../files/use-virtual-rows.ts';
import { Menu, type MenuHandle } from '../ui/menu.tsx';

export type Column<Row> = {
  label: string;
  /** Width and side, on head and cells alike. */
  className?: string;
  /** On the card of a narrow screen; the first line is for the one that leads to the details. */
  card?: string;
  cell: (row: Row) => ReactNode;
};

type RowProps<Row> = {
  columns: Column<Row>[];
  /** What a row is called, for who does not see it. */
  nameOf: (row: Row) => string;
  menu: (row: Row) => ReactNode;
  /** Whether there is anything to be done with a row; with every one, where it is left out. */
  menuOf?: (row: Row) => boolean;
};

const head =
  'sticky top-0 z-10 h-10 border-b border-base-300 bg-base-200 px-2 text-xs leading-4 font-medium text-quiet';

/**
 * A list of the admin's: rows of 40 px, below 640 px cards of 88 px; those that can be seen are in
 * the page. `children` come after the last row.
 */
export function AdminTable<Row extends { id: string }>({
  label,
  rows,
  isWhole,
  children,
  ...rest
}: RowProps<Row> & {
  label: string;
  rows: Row[];
  /** False while there are more than these. */
  isWhole: boolean;
  children: ReactNode;
}) {
  const { columns } = rest;
  const box = useRef<HTMLElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const keyOf = useCallback((row: number) => rows[row]?.id ?? '', [rows]);
  const focus = useRowFocus({ count: rows.length, keyOf, body });
  const virtual = useVirtualRows({ count: rows.length, keyOf, kept: focus.row, box, body });
  const [first, last] = virtual.seen;
  const stop = focus.row ?? first;
  const width = columns.length + 1;

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
            {columns.map(({ label, className = '' }) => (
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
                <TableRow row={row} index={index} isStop={index === stop} {...rest} />
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

function TableRow<Row>({
  row,
  index,
  isStop,
  columns,
  nameOf,
  menu,
  menuOf = () => true,
}: RowProps<Row> & { row: Row; index: number; isStop: boolean }) {
  const handle = useRef<MenuHandle>(null);
  return (
    <tr
      data-row={index}
      aria-rowindex={index + 2}
      onContextMenu={(event) => handle.current?.openBy(event)}
      className="focus-within:bg-base-content/4 hover:bg-base-content/4 max-sm:relative max-sm:flex max-sm:h-22 max-sm:flex-wrap max-sm:content-center max-sm:gap-x-1.5 max-sm:border-base-300 max-sm:px-3 max-sm:not-first:border-t sm:h-10 sm:not-first:*:border-t sm:*:border-base-300"
    >
      {columns.map(({ label, className = '', card = '', cell }) => (
        <td key={label} className={`sm:truncate sm:px-2 ${className} ${card}`}>
          {cell(row)}
        </td>
      ))}
      <td className="max-sm:absolute max-sm:top-1.5 max-sm:right-1.5 sm:px-1.5 sm:text-right">
        {menuOf(row) && (
          <Menu ref={handle} label={`Actions for ${nameOf(row)}`} isStop={isStop}>
            {menu(row)}
          </Menu>
        )}
      </td>
    </tr>
  );
}

/** Where rows are left out; the server's HTML has none, where the policy would refuse the style. */
function Gap({ height, width }: { height: number; width: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden className="[overflow-anchor:none] max-sm:block">
      <td colSpan={width} className="max-sm:block" style={{ height }} />
    </tr>
  );
}
