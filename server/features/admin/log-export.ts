import type { Executor } from '../../platform/db/port.ts';
import { toCsv } from '../../web/http/csv.ts';
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
  db: Executor,
  filters: LogFilters,
  format: 'csv' | 'jsonl',
): ReadableStream<Uint8Array> {
  const line = format === 'csv' ? (row: ListedLog) => toCsv([valuesOf(row)]) : jsonLine;
  const encoder = new TextEncoder();
  let cursor = '0';
  let text = format === 'csv' ? toCsv([COLUMNS]) : '';
  return new ReadableStream(
    {
      async pull(controller) {
        const rows = await listLogs(db, { ...filters, cursor }, EXPORT_BATCH_SIZE);
        const page = rows.slice(0, EXPORT_BATCH_SIZE);
        text += page.map(line).join('');
        if (text) controller.enqueue(encoder.encode(text));
        text = '';
        cursor = page.at(-1)?.id ?? cursor;
        if (rows.length <= EXPORT_BATCH_SIZE) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
