import { type ReactNode, useRef } from 'react';
import { Menu, type MenuHandle } from '../../ui/menu/menu.tsx';
import { type Head, VirtualTable } from '../../ui/table/virtual-table.tsx';
import { openBy } from '../../ui/use-opened.ts';

/** `className` holds for head and cells alike. */
export type Column<Row> = Head & {
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

/** A list of the admin's. `children` come after the last row. */
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
  return (
    <VirtualTable
      label={label}
      heads={rest.columns}
      rows={rows}
      isWhole={isWhole}
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

/** On a card, cells follow each other in a line. */
export const onCard =
  "max-sm:text-xs max-sm:text-quiet max-sm:not-first:before:mr-1.5 max-sm:not-first:before:content-['·']";

/** A column of numbers. */
export const figure = (width: string) => ({
  className: `numbers whitespace-nowrap sm:text-right ${width}`,
  card: onCard,
});

/** What a row is called: it leads to the details. */
export function DetailsLink({
  name,
  id,
  mark = null,
  children,
}: {
  /** Of the parameter that says what is open. */
  name: string;
  id: string;
  /** A word of what is the matter. */
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
