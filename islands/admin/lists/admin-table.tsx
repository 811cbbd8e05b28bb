import { type ReactNode, useRef } from 'react';
import { Menu, type MenuHandle } from '../../ui/menu/menu.tsx';
import { type Head, VirtualTable } from '../../ui/table/virtual-table.tsx';
import { openBy } from '../../ui/use-opened.ts';

/** `className` applies to the header and the cells. */
export type Column<Row> = Head & {
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
  children,
  ...rest
}: RowProps<Row> & {
  label: string;
  rows: Row[];
  /** False while the server has more rows than these. */
  isComplete: boolean;
  children: ReactNode;
}) {
  return (
    <VirtualTable
      label={label}
      heads={rest.columns}
      rows={rows}
      isComplete={isComplete}
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
      className="focus-within:bg-base-content/4 hover:bg-base-content/4 max-sm:relative max-sm:flex max-sm:h-22 max-sm:flex-wrap max-sm:content-center max-sm:gap-x-1.5 max-sm:border-base-300 max-sm:px-3 max-sm:not-first:border-t sm:h-10 sm:not-first:*:border-t sm:*:border-base-300"
    >
      {columns.map(({ label, className = '', card = '', cell }) => (
        <td key={label} className={`sm:truncate sm:px-2 ${className} ${card}`}>
          {cell(row)}
        </td>
      ))}
      <td className="max-sm:absolute max-sm:top-1 max-sm:right-1 max-sm:z-1 sm:px-1.5 sm:text-right">
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
  "max-sm:text-xs max-sm:text-quiet max-sm:not-first:before:mr-1.5 max-sm:not-first:before:content-['·']";

/** Returns the classes of a column with numbers. */
export const figure = (width: string) => ({
  className: `numbers whitespace-nowrap sm:text-right ${width}`,
  card: onCard,
});

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
        className="truncate font-medium hover:underline max-sm:after:absolute max-sm:after:inset-0"
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
