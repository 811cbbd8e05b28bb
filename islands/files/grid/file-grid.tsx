import { useEffect, useRef } from 'react';
import { useWalkToEnd } from '../../ui/table/use-walk-to-end.ts';
import { WalkNotice } from '../../ui/table/walk-notice.tsx';
import type { ListTableProps } from '../file-table.tsx';
import { useFileRows } from '../rows/use-file-rows.tsx';
import { SortChoice } from '../sort-choice.tsx';
import { FileCard, FolderCard } from './grid-card.tsx';
import { gapOf } from './grid-lines.ts';
import { useGrid } from './use-grid.ts';

/** The files of a bucket as cards, with the same keys and actions as their table. */
export function FileGrid({
  rows,
  isComplete,
  onVisibleRows,
  onFolder,
  sorting,
  children,
  bucketId,
  ...actions
}: ListTableProps) {
  const list = useRef<HTMLUListElement>(null);
  const grid = useGrid(rows.length, list);
  const { walk, ...end } = useWalkToEnd({
    count: rows.length,
    isComplete,
    goToEnd: grid.goToEnd,
  });
  const { bar, propsOf } = useFileRows({ rows, columns: grid.columns, bucketId, actions });
  const [first, last] = [grid.shown[0] ?? 0, grid.shown.at(-1) ?? 0];
  useEffect(() => onVisibleRows?.([first, last]), [onVisibleRows, first, last]);
  const lines = Math.ceil(rows.length / grid.columns);

  const cardAt = (index: number) => {
    const row = rows[index];
    if (!row) return null;
    const isStop = index === grid.stop;
    return 'folder' in row ? (
      <FolderCard
        key={row.id}
        row={row}
        index={index}
        isStop={isStop}
        onFolder={onFolder}
        onDropFiles={actions.onDropFiles}
        onFolderChange={actions.onFolderChange}
      />
    ) : (
      <FileCard key={row.id} row={index} isStop={isStop} {...propsOf(row)} />
    );
  };

  return (
    <div className="card relative">
      {bar}
      <div className="flex h-10 items-center max-sm:h-12 border-b border-base-300 px-2">
        <SortChoice {...sorting} isSmall />
      </div>
      <section
        aria-label="Files in this bucket"
        data-scroll-box
        onPointerDown={end.stop}
        onWheel={end.stop}
        // The browser would keep what follows the cards where it is, and move the focused one away.
        className="p-2 [overflow-anchor:none] md:max-h-[max(20rem,calc(100dvh-26rem))] md:overflow-auto lg:max-h-[max(20rem,calc(100dvh-20rem))]"
      >
        <WalkNotice walk={walk} count={rows.length} />
        <ul
          ref={list}
          data-keys="ArrowDown ArrowUp ArrowLeft ArrowRight Home End"
          className="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-2"
          onKeyDown={(event) => {
            grid.onKeyDown(event);
            end.onKeyDown(event);
          }}
          onFocus={({ target }) => {
            const at = target.closest<HTMLElement>('[data-card]')?.dataset.card;
            if (at !== undefined) grid.setFocused(Number(at));
          }}
        >
          <Space lines={grid.lines.columns === 0 ? 0 : Math.min(lines, grid.lines.from)} />
          {grid.shown.map(cardAt)}
          <Space lines={Math.max(0, lines - grid.lines.to)} />
        </ul>
        {children}
      </section>
    </div>
  );
}

/** The space of lines that are not in the document. The server renders none, as no inline style is allowed. */
const Space = ({ lines }: { lines: number }) =>
  lines > 0 && <li aria-hidden className="col-span-full" style={{ height: gapOf(lines) }} />;
