import { expect, test } from 'bun:test';
import { isBehind } from '../../../server/contract/files/file-order.ts';
import { type Pages, pageAt, pagesToRefresh, reloadPage, withPages } from './pages.ts';
import { BUSY_INTERVAL_MS, outdatedIn, refreshInterval } from './use-page-refresh.ts';

type Row = { id: string; isBusy?: boolean };
type RowPage = { data: Row[]; nextId: string | null };

const FIRST = '0';
const PAGE = 3;
const newestFirst = (cursor: string, other: string) => isBehind(cursor, other, 'desc');

/** A fake server with rows of these ids in pages of three, the highest first, which records its requests. */
function serverOf(...ids: string[]) {
  const requests: string[] = [];
  const load = async (cursor: string): Promise<RowPage> => {
    requests.push(cursor);
    const rest = ids
      .toSorted()
      .reverse()
      .filter((id) => cursor === FIRST || id < cursor);
    const data = rest.slice(0, PAGE).map((id) => ({ id }));
    return { data, nextId: rest.length > PAGE ? (data.at(-1)?.id ?? null) : null };
  };
  return { load, requests };
}

async function listOf(
  { load }: ReturnType<typeof serverOf>,
  pages: number,
): Promise<Pages<RowPage>> {
  const list: Pages<RowPage> = { pages: [], pageParams: [] };
  for (let cursor: string | null = FIRST; list.pages.length < pages && cursor !== null; ) {
    const page: RowPage = await load(cursor);
    list.pages.push(page);
    list.pageParams.push(cursor);
    cursor = page.nextId;
  }
  return list;
}

const idsOf = (list: Pages<RowPage>) => list.pages.flatMap(({ data }) => data.map(({ id }) => id));

/** Reloads the page at `at` of a list from a server whose files have changed. */
async function reload(list: Pages<RowPage>, at: number, now: ReturnType<typeof serverOf>) {
  const cursor = list.pageParams[at] ?? '';
  const page = await reloadPage(now.load, cursor, list.pages[at]?.nextId ?? null, newestFirst);
  return withPages(list, new Map([[cursor, page]]));
}

test('new rows push none out of the list, and none into it twice', async () => {
  const list = await listOf(serverOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), 2);
  const now = serverOf('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k');
  const fresh = await reload(list, 0, now);
  expect(idsOf(fresh)).toEqual(['k', 'j', 'i', 'h', 'g', 'f', 'e', 'd', 'c', 'b']);
  expect(fresh.pages.at(-1)?.nextId).toBe('b');
  expect(now.requests).toEqual([FIRST, 'i', 'f']);
});

test('one page is one call where nothing has come', async () => {
  const rows = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const list = await listOf(serverOf(...rows), 3);
  const now = serverOf(...rows);
  expect(await reload(list, 1, now)).toEqual(list);
  expect(now.requests).toEqual(['e']);
});

test('deleted rows leave their page, also its last one, and take none of the next along', async () => {
  const list = await listOf(serverOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), 3);
  const fresh = await reload(list, 1, serverOf('a', 'c', 'd', 'e', 'f', 'g'));
  expect(idsOf(fresh)).toEqual(['g', 'f', 'e', 'd', 'c', 'a']);
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
  const page: RowPage = { data: [], nextId: null };
  expect(withPages(list, new Map([['x', page]]))).toEqual(list);
});

test('rows are counted through pages of any length', async () => {
  const list = await listOf(serverOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), 3);
  const first = list.pages[0];
  if (first) list.pages[0] = { ...first, data: [] };
  expect([0, 2, 3, 99].map((row) => pageAt(list, row))).toEqual([1, 1, 2, 2]);
  expect(pageAt({ pages: [], pageParams: [] }, 5)).toBe(0);
});

test('where a page in between is the last one now, nothing is left behind it', async () => {
  const list = await listOf(serverOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), 3);
  const fresh = await reload(list, 0, serverOf('f', 'g'));
  expect([idsOf(fresh), fresh.pageParams]).toEqual([['g', 'f'], [FIRST]]);
});

test('a row that has moved to another page is in that page alone', async () => {
  const list = await listOf(serverOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), 3);
  const moved: RowPage = { data: [{ id: 'g' }, { id: 'a' }, { id: 'f' }], nextId: 'e' };
  const fresh = withPages(list, new Map([[FIRST, moved]]));
  expect(idsOf(fresh)).toEqual(['g', 'a', 'f', 'd', 'c', 'b']);
  expect(fresh.pages[1]).toBe(list.pages[1] as RowPage);
  // It was loaded with two pages, of which the later one is where the list goes on.
  const both = withPages(
    list,
    new Map([
      [FIRST, moved],
      ['e', { data: [{ id: 'f' }], nextId: 'b' }],
    ]),
  );
  expect(idsOf(both)).toEqual(['g', 'a', 'f']);
});

test('the first page and those that can be seen are refreshed, soon while one of their rows is busy', async () => {
  const list = await listOf(serverOf(...'abcdefghijklmno'), 5);
  const [row] = list.pages[2]?.data ?? [];
  if (row) row.isBusy = true;
  const isBusy = (row: Row) => row.isBusy === true;
  for (const [rows, pages, interval] of [
    [[0, 2], [0], false],
    [[3, 5], [0, 1], false],
    [[4, 7], [0, 1, 2], BUSY_INTERVAL_MS],
    [[8, 12], [0, 2, 3, 4], BUSY_INTERVAL_MS],
    [[12, 14], [0, 4], false],
  ] as const) {
    expect([pagesToRefresh(list, rows), refreshInterval(list, rows, isBusy)]).toEqual([
      [...pages],
      interval,
    ]);
  }
  expect(refreshInterval(undefined, [0, 9], isBusy)).toBe(false);
});

test('of the pages that are out of date, those that can be seen are told', async () => {
  const list = await listOf(serverOf(...'abcdefghijklmno'), 5);
  const [, second = '', , fourth = ''] = list.pageParams;
  expect(outdatedIn(list, [0, 2], [second, fourth])).toEqual([]);
  expect(outdatedIn(list, [2, 12], [second, fourth])).toEqual([second, fourth]);
});

test('a page in another order is reloaded up to the position where it ended', async () => {
  const paths = ['a', 'b', 'c', 'd', '😀'];
  const load = async (cursor: string): Promise<RowPage> => {
    const rest = paths.filter((path) => cursor === FIRST || `/${path}` > cursor);
    const nextId = rest.length > 2 ? `/${rest[1]}` : null;
    return { data: rest.slice(0, 2).map((id) => ({ id })), nextId };
  };
  const byName = (cursor: string, other: string) => isBehind(cursor, other, 'asc');
  const page = await reloadPage(load, FIRST, '/c', byName);
  expect([page.data.map(({ id }) => id), page.nextId]).toEqual([['a', 'b', 'c', 'd'], '/d']);
  // An emoji is behind every letter in the databases, and before some in JavaScript.
  expect(byName('/😀', '/ﬀ')).toBe(true);
});
