import { expect, test } from 'bun:test';
import type { FilePageWire, FileWire } from '../../server/contract/wire.ts';
import {
  FIRST,
  type FilePages,
  PROCESSING_INTERVAL_MS,
  pageAt,
  pagesToRefresh,
  refreshInterval,
  reloadPage,
  withPages,
} from './use-files.ts';

const PAGE = 3;
const NEWEST = { sort: 'date', order: 'desc' } as const;

/** A fake server with files of these ids in pages of three, which records its requests. */
function serverOf(...ids: string[]) {
  const requests: string[] = [];
  const load = async (cursor: string): Promise<FilePageWire> => {
    requests.push(cursor);
    const rest = ids
      .toSorted()
      .reverse()
      .filter((id) => cursor === FIRST || id < cursor);
    const data = rest.slice(0, PAGE).map((id) => ({ id }) as FileWire);
    return {
      data,
      nextId: rest.length > PAGE ? (data.at(-1)?.id ?? null) : null,
      total: null,
      jwt: 'J',
    };
  };
  return { load, requests };
}

async function listOf({ load }: ReturnType<typeof serverOf>, pages: number): Promise<FilePages> {
  const list: FilePages = { pages: [], pageParams: [] };
  for (let cursor: string | null = FIRST; list.pages.length < pages && cursor !== null; ) {
    const page: FilePageWire = await load(cursor);
    list.pages.push(page);
    list.pageParams.push(cursor);
    cursor = page.nextId;
  }
  return list;
}

const idsOf = (list: FilePages) => list.pages.flatMap(({ data }) => data.map(({ id }) => id));

/** Reloads the page at `at` of a list from a server whose files have changed. */
async function reload(list: FilePages, at: number, now: ReturnType<typeof serverOf>) {
  const cursor = list.pageParams[at] ?? '';
  const page = await reloadPage(now.load, cursor, list.pages[at]?.nextId ?? null, NEWEST);
  return withPages(list, new Map([[cursor, page]]));
}

test('new files push none out of the list, and none into it twice', async () => {
  const list = await listOf(serverOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), 2);
  const now = serverOf('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k');
  const fresh = await reload(list, 0, now);
  expect(idsOf(fresh)).toEqual(['k', 'j', 'i', 'h', 'g', 'f', 'e', 'd', 'c', 'b']);
  expect(fresh.pages.at(-1)?.nextId).toBe('b');
  expect(now.requests).toEqual([FIRST, 'i', 'f']);
});

test('one page is one call where nothing has come', async () => {
  const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const list = await listOf(serverOf(...files), 3);
  const now = serverOf(...files);
  expect(await reload(list, 1, now)).toEqual(list);
  expect(now.requests).toEqual(['e']);
});

test('deleted files leave their page, also its last one, and take none of the next along', async () => {
  const list = await listOf(serverOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), 3);
  const fresh = await reload(list, 1, serverOf('a', 'c', 'd', 'e', 'f', 'g'));
  expect(idsOf(fresh)).toEqual(['g', 'f', 'e', 'd', 'c', 'a']);
  expect(fresh.pages[1]?.nextId).toBe('b');
});

test('a list that was at its end finds what more there is, and one that was not finds its end', async () => {
  const short = await listOf(serverOf('a', 'b'), 1);
  expect((await reload(short, 0, serverOf('a', 'b', 'c', 'd'))).pages[0]?.nextId).toBe('b');
  const long = await listOf(serverOf('a', 'b', 'c', 'd'), 1);
  expect(long.pages[0]?.nextId).toBe('b');
  expect((await reload(long, 0, serverOf('b', 'c', 'd'))).pages[0]?.nextId).toBeNull();
});

test('a page that is not in the list any more changes nothing', async () => {
  const list = await listOf(serverOf('a', 'b'), 1);
  const page: FilePageWire = { data: [], nextId: null, total: null, jwt: '' };
  expect(withPages(list, new Map([['x', page]]))).toEqual(list);
});

test('rows are counted through pages of any length', async () => {
  const list = await listOf(serverOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), 3);
  const first = list.pages[0];
  if (first) list.pages[0] = { ...first, data: [] };
  expect([0, 2, 3, 99].map((row) => pageAt(list, row))).toEqual([1, 1, 2, 2]);
  expect(pageAt({ pages: [], pageParams: [] }, 5)).toBe(0);
});

test('the first page and those that can be seen are refreshed, soon while one of their files is processed', async () => {
  const list = await listOf(serverOf(...'abcdefghijklmno'), 5);
  const [file] = list.pages[2]?.data ?? [];
  if (file) file.status = 'processing';
  for (const [rows, pages, interval] of [
    [[0, 2], [0], false],
    [[3, 5], [0, 1], false],
    [[4, 7], [0, 1, 2], PROCESSING_INTERVAL_MS],
    [[8, 12], [0, 2, 3, 4], PROCESSING_INTERVAL_MS],
    [[12, 14], [0, 4], false],
  ] as const) {
    expect([pagesToRefresh(list, rows), refreshInterval(list, rows)]).toEqual([
      [...pages],
      interval,
    ]);
  }
  expect(refreshInterval(undefined, [0, 9])).toBe(false);
});

test('a page in another order is reloaded up to the position where it ended', async () => {
  const file = (path: string) => ({ id: path, path, size: 1 }) as FileWire;
  const all = ['a', 'b', 'c', 'd', '😀'].map(file);
  const load = async (cursor: string): Promise<FilePageWire> => {
    const rest = all.filter(({ path }) => cursor === FIRST || `/${path}` > cursor);
    const nextId = rest.length > 2 ? `/${rest[1]?.path}` : null;
    return { data: rest.slice(0, 2), nextId, total: null, jwt: 'J' };
  };
  const byName = { sort: 'name', order: 'asc' } as const;
  const page = await reloadPage(load, FIRST, '/c', byName);
  expect([page.data.map(({ path }) => path), page.nextId]).toEqual([['a', 'b', 'c'], '/c']);
  // An emoji is behind every letter in the databases, and before some in JavaScript.
  expect((await reloadPage(load, '/d', '/ﬀ', byName)).data).toEqual([]);
});
