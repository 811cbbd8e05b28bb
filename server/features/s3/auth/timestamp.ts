const TIMESTAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** Returns the epoch milliseconds of a timestamp such as `20130524T000000Z`; null where it is none. */
export function parseTimestamp(text: string): number | null {
  const [, year, month, day, hour, minute, second] = TIMESTAMP.exec(text) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}

/** Returns the timestamp of epoch milliseconds that have a year of four digits. */
export const formatTimestamp = (at: number): string =>
  new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
