import { expect, test } from 'bun:test';
import { toCsv } from './csv.ts';

test('numbers stay numbers, and rows end as RFC 4180 has it', () => {
  expect(
    toCsv([
      ['a', 'b'],
      [1.5, -2],
    ]),
  ).toBe('a,b\r\n1.5,-2\r\n');
  expect(toCsv([])).toBe('');
});

const cells: [string, string][] = [
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['a=b', 'a=b'],
  ["'quoted'", "'quoted'"],
  ['', ''],
  ['Grüße', 'Grüße'],
];
for (const [text, written] of cells) {
  test(`the text ${JSON.stringify(text)} is written ${JSON.stringify(written)}`, () => {
    expect(toCsv([[text]])).toBe(`${written}\r\n`);
  });
}
