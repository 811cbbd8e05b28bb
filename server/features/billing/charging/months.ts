/** The start of the UTC month after one, by its start. */
export const nextMonth = (month: number): number => {
  const date = new Date(month);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};

/** '2026-11' */
export const monthText = (month: number): string => new Date(month).toISOString().slice(0, 7);

/** The start of a month that is written so; null for what is none. */
export function readMonth(text: string): number | null {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return null;
  return Date.parse(`${text}-01T00:00:00.000Z`);
}
