import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { COMPARED_ON, COMPARISON, PEERS } from './comparison.ts';

test('every line of the comparison has a cell for Wharf and each peer', () => {
  for (const { label, cells } of COMPARISON) {
    expect([label, cells.length]).toEqual([label, PEERS.length + 1]);
  }
});

test('README.md shows the same comparison as the landing page', async () => {
  const readme = await Bun.file(join(import.meta.dir, '../../../README.md')).text();
  const row = (cells: string[]) => `| ${cells.join(' | ')} |\n`;
  const head = ['', 'Wharf', ...PEERS.map(({ name, url }) => `[${name}](${url})`)];
  const rows = COMPARISON.map(({ label, cells }) => row([label, ...cells]));
  expect(readme).toContain(rows.join(''));
  expect(readme).toContain(row(head).replace('|  |', '| |'));
  expect(readme).toContain(COMPARED_ON);
});
