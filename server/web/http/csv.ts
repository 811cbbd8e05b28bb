/** The characters with which a formula starts in a spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Returns rows as CSV (RFC 4180). Text may come from a stranger, and a spreadsheet must not run it.
 * So text that looks like a formula gets an apostrophe in front, which marks it as text.
 */
export function toCsv(rows: (string | number)[][]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
