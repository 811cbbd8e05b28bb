import type { WebhookAttemptWire } from '../../../../server/contract/wire.ts';
import { Time } from '../../../ui/date/time.tsx';
import { Button } from '../../../ui/form/button.tsx';

const head =
  'sticky top-0 z-10 h-10 border-b border-base-300 bg-base-200 px-2.5 text-xs font-medium text-quiet';
/** Below 640 px a row is a card, and each cell a line with the name of its column. */
const cell =
  'px-2.5 py-2 max-sm:px-5 max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:py-1 max-sm:before:shrink-0 max-sm:before:text-quiet max-sm:before:content-[attr(data-label)]';

/** The deliveries as a table, or as cards on narrow screens. */
export function WebhookAttemptTable({
  rows,
  replaying,
  onOpen,
  onReplay,
}: {
  rows: WebhookAttemptWire[];
  /** The id of the delivery that is being sent again. */
  replaying: string | null;
  onOpen: (id: string) => void;
  onReplay: (id: string) => void;
}) {
  return (
    <table className="w-full table-fixed border-separate border-spacing-0 text-left max-sm:block">
      <thead className="max-sm:hidden">
        <tr>
          <th className={`${head} w-34 sm:pl-5`}>Event</th>
          <th className={`${head} w-30`}>Status</th>
          <th className={head}>Response</th>
          <th className={`${head} w-18 text-right`}>Attempts</th>
          <th className={`${head} w-37 text-right`}>Created at</th>
          <th className={`${head} w-24`}>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {rows.map((row) => (
          <Row
            key={row.id}
            row={row}
            isReplaying={replaying === row.id}
            onOpen={() => onOpen(row.id)}
            onReplay={() => onReplay(row.id)}
          />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  row,
  isReplaying,
  onOpen,
  onReplay,
}: {
  row: WebhookAttemptWire;
  isReplaying: boolean;
  onOpen: () => void;
  onReplay: () => void;
}) {
  return (
    <tr className="relative hover:bg-base-300/40 max-sm:block max-sm:border-t max-sm:border-base-300 max-sm:py-2 max-sm:first:border-t-0 sm:h-10 sm:not-first:*:border-t sm:*:border-base-300">
      <td
        className="px-2.5 py-2 font-mono text-xs max-sm:block max-sm:pl-5 max-sm:pr-24 sm:pl-5"
        title={row.id}
      >
        <button
          type="button"
          // It covers the row, so that a click anywhere in it opens the delivery.
          className="cursor-pointer text-left -outline-offset-2 after:absolute after:inset-0"
          onClick={onOpen}
        >
          {row.type}
        </button>
      </td>
      <td className={cell} data-label="Status">
        <WebhookAttemptStatus row={row} />
      </td>
      <td className={`${cell} sm:truncate`} data-label="Response" title={row.response ?? undefined}>
        <span className="min-w-0 wrap-anywhere text-quiet max-sm:text-right">
          {row.response || (row.status === null ? 'None yet' : 'Empty')}
        </span>
      </td>
      <td className={`${cell} numbers sm:text-right`} data-label="Attempts">
        {row.attempts}
      </td>
      <td className={`${cell} sm:text-right`} data-label="Created at">
        <Time iso={row.date} withTime />
      </td>
      <td className="px-1.5 py-1 text-right sm:pr-2.5 max-sm:absolute max-sm:right-1 max-sm:top-0">
        <Button
          className="relative btn-sm btn-ghost"
          aria-label={`Replay ${row.type} of ${row.date}`}
          pending={isReplaying}
          onClick={onReplay}
        >
          Replay
        </Button>
      </td>
    </tr>
  );
}

/** The status of a delivery, and when the next attempt is due. */
export function WebhookAttemptStatus({
  row: { state, status, response, next, attempts },
}: {
  row: WebhookAttemptWire;
}) {
  const code = status === null ? '' : ` ${status}`;
  if (state === 'delivered') return <span className="numbers text-success">Delivered{code}</span>;
  if (state === 'failed') return <span className="numbers text-error">Failed{code}</span>;
  // `attempts` includes a running attempt, so the response has to show whether one has failed.
  if (attempts === 0 || response === null || !next) return <span>Waiting</span>;
  return (
    <span className="flex flex-col max-sm:items-end">
      <span className="numbers text-warning">Retrying{code}</span>
      <span className="text-xs text-quiet">
        <Time iso={next} withTime />
      </span>
    </span>
  );
}
