import { expect, test } from 'bun:test';
import { findRefused } from './testing/find-refused.ts';

const calls = (count: number) => '  f();\n'.repeat(count);
const declared = (lines: number) => `export function f() {\n${calls(lines - 2)}}\n`;
const method = (lines: number) => `export class A {\nf() {\n${calls(lines - 2)}}\n}\n`;
const table = (rows: number) => `export const f = () => [\n${'  1,\n'.repeat(rows)}];\n`;
const component = (lines: number) =>
  `export const F = () => (\n<p>\n${'text\n'.repeat(lines - 4)}</p>\n);\n`;

const allowed = {
  'server/short.ts': declared(60),
  'islands/short.tsx': component(100),
  'scripts/table.ts': table(80),
  'server/long.test.ts': declared(200),
  'tests/long.ts': declared(200),
  'server/platform/db/migrations/long.ts': declared(200),
};
const refused = {
  'server/function.ts': declared(61),
  'media/method.ts': method(61),
  'islands/component.tsx': component(101),
};

test('a function is at most 60 lines long and a component 100; tests and tables are free', async () => {
  const names = await findRefused({ ...allowed, ...refused });
  expect(names).toEqual(Object.keys(refused).sort());
});
