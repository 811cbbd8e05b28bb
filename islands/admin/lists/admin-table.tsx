import { type ReactNode, useRef } from 'react';
import { Menu, type MenuHandle } from '../../ui/menu/menu.tsx';
import type { RowRange } from '../../ui/paging/pages.ts';
import { type Head, VirtualTable } from '../../ui/table/virtual-table.tsx';
import { openBy } from '../../ui/use-opened.ts';

/** `className` applies to the header and the cells. */
export type Column<Row, Sort extends string = string> = Head & {
  /** What the column sorts the list by. */
  sort?: Sort;
  /** Classes for the card on narrow screens, whose first line links to the details. */
  card?: string;
  cell: (row: Row) => ReactNode;
};

type RowProps<Row> = {
  columns: Column<Row>[];
  /** Returns the name of a row for screen readers. */
  nameOf: (row: Row) => string;
  menu: (row: Row) => ReactNode;
  /** Returns whether a row has a menu. By default all rows have one. */
  menuOf?: (row: Row) => boolean;
};

/** A table of the admin pages. `children` follow the last row. */
export function AdminTable<Row extends { id: string }>({
  label,
  rows,
  isComplete,
  onVisibleRows,
  heads,
  children,
  ...rest
}: RowProps<Row> & {
  label: string;
  /** The heads of the columns where they are more than labels. */
  heads?: Head[];
  rows: Row[];
  /** False while the server has more rows than these. */
  isComplete: boolean;
  /** Called with the first and the last row that can be seen. */
  onVisibleRows: (rows: RowRange) => void;
  children: ReactNode;
}) {
  return (
    <VirtualTable
      label={label}
      heads={heads ?? rest.columns}
      rows={rows}
      isComplete={isComplete}
      onVisibleRows={onVisibleRows}
      renderRow={(row, index, isStop) => (
        <TableRow row={row} index={index} isStop={isStop} {...rest} />
      )}
    >
      {children}
    </VirtualTable>
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
      data-context-menu={menuOf(row) || undefined}
      onContextMenu={(event) => handle.current?.openBy(event)}
      className="focus-within:bg-base-content/4 hover:bg-base-content/4 max-md:relative max-md:flex max-md:h-22 max-md:flex-wrap max-md:content-center max-md:gap-x-1.5 max-md:border-base-300 max-md:px-3 max-md:not-first:border-t md:h-10 md:not-first:*:border-t md:*:border-base-300"
    >
      {columns.map(({ label, className = '', card = '', cell }) => (
        <td key={label} className={`md:truncate md:px-2 ${className} ${card}`}>
          {cell(row)}
        </td>
      ))}
      <td className="max-md:absolute max-md:top-1 max-md:right-1 max-md:z-1 md:px-1.5 md:text-right">
        {menuOf(row) && (
          <Menu ref={handle} label={`Actions for ${nameOf(row)}`} isStop={isStop}>
            {menu(row)}
          </Menu>
        )}
      </td>
    </tr>
  );
}

/** Shows cells in one line of a card, separated by dots. */
export const onCard =
  "max-md:text-xs max-md:text-quiet max-md:not-first:before:mr-1.5 max-md:not-first:before:content-['·']";

/** Returns the classes of a column with numbers. */
export const figure = (width: string) => ({
  className: `numbers whitespace-nowrap md:text-right ${width}`,
  card: onCard,
});

/** Returns the columns to show: on narrow screens without those that `isExtra`, unless the list is sorted by one. */
export const visibleColumns = <Row, Sort extends string>(
  columns: (Column<Row, Sort> & { isExtra?: boolean })[],
  sort: Sort | undefined,
): Column<Row, Sort>[] =>
  columns.map((column) =>
    column.isExtra && (column.sort === undefined || column.sort !== sort)
      ? { ...column, className: `${column.className} max-xl:hidden` }
      : column,
  );

/** The name of a row, which opens its details. */
export function DetailsLink({
  name,
  id,
  mark = null,
  children,
}: {
  /** The URL parameter of the open drawer. */
  name: string;
  id: string;
  /** A word about an exceptional status. */
  mark?: string | null;
  children: ReactNode;
}) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <a
        href={`?${name}=${id}`}
        className="truncate font-medium hover:underline max-md:after:absolute max-md:after:inset-0"
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          openBy(name, id);
        }}
      >
        {children}
      </a>
      {mark && <span className="shrink-0 text-xs font-medium text-error">{mark}</span>}
    </span>
  );
}
