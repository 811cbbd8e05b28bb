import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { formatDay, formatMinute, formatMonth, formatUtc, fullDay, shortDay } from './format.ts';

test('a date is dd/MM/yyyy, and a chart names the month', () => {
  expect([
    formatDay('2026-01-31'),
    formatMinute('2026-01-31T08:05:59.999Z'),
    formatUtc(Date.parse('2026-01-31T23:59:59Z')),
    shortDay('2025-01-31'),
    fullDay('2025-01-31'),
    formatMonth('2026-11'),
  ]).toEqual([
    ...['31/01/2026', '31/01/2026 08:05', '31/01/2026 23:59 UTC'],
    ...['Jan 31', 'January 31, 2025', 'November 2026'],
  ]);
});

const ROOT = join(import.meta.dir, '../../..');
const FORMATTERS =
  /DateTimeFormat|toLocale(Date|Time)String|toUTCString|\.get(Full)?(Year|Month|Hours)\(/;
/** They compute days and zones, and write dates for programs. */
const OTHERS = [
  ...['server/contract/dates/', 'islands/ui/date/day-range.ts', 'server/features/s3/'],
  'server/features/delivery/caches/deliverable-cache.ts',
];

test('nothing that people read writes dates in another way', async () => {
  const found: string[] = [];
  for (const pattern of ['islands/**/*.{ts,tsx}', 'server/{contract,features,web}/**/*.{ts,tsx}']) {
    for await (const path of new Bun.Glob(pattern).scan(ROOT)) {
      if (path.includes('.test.') || OTHERS.some((other) => path.startsWith(other))) continue;
      if (FORMATTERS.test(await Bun.file(join(ROOT, path)).text())) found.push(path);
    }
  }
  expect(found).toEqual([]);
});
