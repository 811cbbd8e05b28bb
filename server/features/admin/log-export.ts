import { FIRST_PAGE, requireTimeZone, toPage } from '../../platform/db/listing.ts';
import type { Database } from '../../platform/db/port.ts';
import { toCsv } from '../../web/http/csv.ts';
import { streamText } from '../../web/http/stream-text.ts';
import { type ListedLog, type LogFilters, listLogs } from './lists-store.ts';

/** How many entries one query reads. */
const EXPORT_BATCH_SIZE = 500;
const COLUMNS = [
  'id',
  'date',
  'section',
  'action',
  'message',
  'actor',
  'actor_id',
  'subject',
  'details',
];

/** The values contain ids instead of addresses, because the export outlives the accounts. */
const valuesOf = (row: ListedLog) => [
  row.id,
  new Date(row.created_at).toISOString(),
  row.section,
  row.action,
  row.message,
  row.actor,
  row.actor_id ?? '',
  row.subject_id ?? '',
  row.details,
];

const jsonLine = (row: ListedLog) => {
  const values = valuesOf(row).map((value, at) => [
    COLUMNS[at],
    COLUMNS[at] === 'details' ? JSON.parse(row.details) : value,
  ]);
  return `${JSON.stringify(Object.fromEntries(values))}\n`;
};

/**
 * Streams all entries that match the filters, newest first. Each batch is read when the client is
 * ready for it.
 */
export function exportLogs(
  database: Database,
  filters: LogFilters,
  format: 'csv' | 'jsonl',
): ReadableStream<Uint8Array> {
  // A stream that has begun can't answer with a status any more.
  requireTimeZone(filters);
  return streamText(exportedText(database, filters, format));
}

async function* exportedText(
  database: Database,
  filters: LogFilters,
  format: 'csv' | 'jsonl',
): AsyncGenerator<string> {
  const line = format === 'csv' ? (row: ListedLog) => toCsv([valuesOf(row)]) : jsonLine;
  if (format === 'csv') yield toCsv([COLUMNS]);
  for (let cursor: string | null = FIRST_PAGE; cursor !== null; ) {
    const range = { ...filters, cursor, limit: EXPORT_BATCH_SIZE };
    const { rows, end } = await listLogs(database, range);
    const page = toPage(rows, EXPORT_BATCH_SIZE, line, end);
    cursor = page.nextId;
    // A search may find nothing among the entries that it examines at a time.
    if (page.data.length > 0) yield page.data.join('');
  }
}
