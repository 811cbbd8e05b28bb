import { expect, test } from 'bun:test';
import { KeptRows } from './kept-rows.ts';

type Row = { id: string; version: number };

function open() {
  const rows = new KeptRows<Row>(10);
  const loads: string[] = [];
  let version = 1;
  const load = (id: string) => async () => {
    loads.push(id);
    return id === 'none' ? undefined : { id, version };
  };
  const find = (id: string) => rows.find(id, load(id));
  const change = () => {
    version += 1;
  };
  return { rows, loads, load, find, change };
}

test('a row is loaded once, until it is dropped', async () => {
  const { rows, loads, find, change } = open();
  await find('a');
  await find('b');
  change();
  rows.drop(({ id }) => id === 'a');
  expect([await find('a'), await find('b')]).toEqual([
    { id: 'a', version: 2 },
    { id: 'b', version: 1 },
  ]);
  rows.clear();
  expect((await find('b'))?.version).toBe(2);
  expect(loads).toEqual(['a', 'b', 'a', 'b']);
});

test('that there is no row, and a row that may not be kept, is not kept', async () => {
  const { rows, loads, load, find } = open();
  for (let n = 0; n < 2; n += 1) expect(await find('none')).toBeUndefined();
  for (let n = 0; n < 2; n += 1) await rows.find('a', load('a'), () => false);
  expect(loads).toEqual(['none', 'none', 'a', 'a']);
});

test('a row that was read before a change is not kept after it', async () => {
  const { rows, find, change } = open();
  const reading = find('a');
  change();
  rows.drop(({ id }) => id === 'a');
  expect((await reading)?.version).toBe(1);
  expect((await find('a'))?.version).toBe(2);
});
