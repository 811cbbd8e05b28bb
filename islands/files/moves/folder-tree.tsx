import { useQueries } from '@tanstack/react-query';
import ChevronRight from 'lucide-react/icons/chevron-right';
import FolderIcon from 'lucide-react/icons/folder';
import { type KeyboardEvent, useRef, useState } from 'react';
import { truncate } from '../../../server/contract/units.ts';
import { call } from '../../runtime/api.ts';
import { filesKey } from '../../uploads/shared.ts';
import { baseName } from './paths.ts';

type Node = { path: string; level: number; isOpen: boolean };

/**
 * The folders of a bucket as a tree. Arrows walk it, and open and close its folders, which are loaded then. A folder
 * shows the first page of the folders in it.
 */
export function FolderTree({
  bucketId,
  value,
  onValue,
}: {
  bucketId: string;
  /** The chosen folder, which ends in '/'; '' for the top. */
  value: string;
  onValue: (folder: string) => void;
}) {
  const tree = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<readonly string[]>(['', ...foldersAbove(value)]);
  const nodes = useNodes(bucketId, open);
  const stop = nodes.some(({ path }) => path === value) ? value : '';

  const toggle = ({ path, isOpen }: Node) =>
    setOpen((paths) => (isOpen ? paths.filter((one) => one !== path) : [...paths, path]));
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    const node = nodes[at];
    if (!node) return;
    const parent = nodes.findLastIndex(({ level }, index) => index < at && level < node.level);
    const isFirstChild = (nodes[at + 1]?.level ?? 0) > node.level;
    const next = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: nodes.length - 1,
      ArrowRight: node.isOpen && isFirstChild ? at + 1 : at,
      ArrowLeft: node.isOpen ? at : parent,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (event.key === 'ArrowRight' && !node.isOpen) toggle(node);
    if (event.key === 'ArrowLeft' && node.isOpen) toggle(node);
    const target = nodes[next];
    if (!target) return;
    onValue(target.path);
    tree.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[next]?.focus();
  };

  return (
    <div
      ref={tree}
      role="tree"
      aria-label="Folders"
      className="h-56 overflow-y-auto rounded-md border border-base-300 bg-base-100 p-1"
    >
      {nodes.map((node, at) => (
        <div
          key={node.path}
          role="treeitem"
          aria-level={node.level}
          aria-expanded={node.isOpen}
          aria-selected={node.path === value}
          tabIndex={node.path === stop ? 0 : -1}
          className="flex h-8 cursor-pointer items-center gap-1.5 rounded px-1 hover:bg-base-content/4 aria-selected:bg-base-content/8 aria-selected:font-medium"
          onClick={() => onValue(node.path)}
          onKeyDown={(event) => onKeyDown(event, at)}
        >
          <Indent level={node.level} />
          <span
            aria-hidden
            className="grid size-6 shrink-0 place-items-center text-quiet"
            onClick={(event) => {
              event.stopPropagation();
              toggle(node);
            }}
          >
            <ChevronRight size={14} className={node.isOpen ? 'rotate-90' : ''} />
          </span>
          <FolderIcon size={16} aria-hidden className="shrink-0" />
          <span className="truncate">
            {node.path === '' ? 'All folders' : truncate(baseName(node.path))}
          </span>
        </div>
      ))}
    </div>
  );
}

/** Style attributes are not allowed, so each level has an element. */
const Indent = ({ level }: { level: number }) =>
  Array.from({ length: Math.min(level - 1, 8) }, (_, at) => at).map((at) => (
    <span key={at} aria-hidden className="w-4 shrink-0" />
  ));

/** Returns the folders above a folder, and itself. */
function foldersAbove(folder: string): string[] {
  const names = folder.split('/').slice(0, -1);
  return names.map((_, at) => `${names.slice(0, at + 1).join('/')}/`);
}

/** Returns the visible folders in their order, and loads those in the open ones. */
function useNodes(bucketId: string, open: readonly string[]): Node[] {
  const lists = useQueries({
    queries: open.map((prefix) => ({
      queryKey: [...filesKey(bucketId), 'folders', prefix],
      queryFn: () => loadFolders(bucketId, prefix),
    })),
  });
  const childrenOf = new Map(open.map((path, at) => [path, lists[at]?.data ?? []]));
  const below = (path: string, level: number): Node[] => [
    { path, level, isOpen: childrenOf.has(path) },
    ...(childrenOf.get(path) ?? []).flatMap((child) => below(child, level + 1)),
  ];
  return below('', 1);
}

/** How many pages of a folder are looked through for folders, which stand between its files. */
const MAX_PAGES = 10;

async function loadFolders(bucketId: string, prefix: string): Promise<string[]> {
  const folders: string[] = [];
  let cursor: string | null = '';
  for (let pages = 0; cursor !== null && pages < MAX_PAGES; pages += 1) {
    const page: { folders: string[]; next: string | null } = await call(
      'GET /files/folder/:bucketID',
      { params: { bucketID: bucketId }, query: { prefix, ...(cursor && { cursor }) } },
    );
    folders.push(...page.folders);
    cursor = page.next;
  }
  return folders;
}
