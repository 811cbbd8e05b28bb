import type { WebhookAttemptState, WebhookType } from '../../../../server/contract/wire.ts';
import { DateRange } from '../../../ui/date/date-range.tsx';
import { Choice, Toggles } from '../../../ui/menu/choice.tsx';
import type { WebhookFilter } from '../settings-calls.ts';

const ALL = 'all';
const EVENTS: Record<WebhookType | typeof ALL, string> = {
  [ALL]: 'All events',
  'file.success': 'file.success',
  'file.error': 'file.error',
  'file.moved': 'file.moved',
  'file.updated': 'file.updated',
  'file.replaced': 'file.replaced',
  'file.deleted': 'file.deleted',
  'file.restored': 'file.restored',
  'bucket.deleted': 'bucket.deleted',
  'webhook.test': 'webhook.test',
};
const OUTCOMES: Record<WebhookAttemptState, string> = {
  delivered: 'Delivered',
  waiting: 'Waiting',
  failed: 'Failed',
};

/** Filters the deliveries of a webhook by event, outcome and days in the viewer's time zone. */
export const WebhookFilterBar = ({
  filter: { type, state, range },
  onChange,
}: {
  filter: WebhookFilter;
  onChange: (filter: WebhookFilter) => void;
}) => (
  <search aria-label="Filters" className="flex flex-wrap gap-2">
    <Choice
      label="Event"
      options={EVENTS}
      value={type ?? ALL}
      onSelect={(chosen) => onChange(withFilter(chosen === ALL ? undefined : chosen, state, range))}
    />
    <Toggles
      label="Outcome"
      options={OUTCOMES}
      value={state}
      onValue={(chosen) => onChange(withFilter(type, chosen, range))}
    />
    <DateRange
      isLocal
      className="w-full sm:w-60"
      value={range}
      onValue={(chosen) => onChange(withFilter(type, state, chosen))}
    />
  </search>
);

const withFilter = (
  type: WebhookType | undefined,
  state: WebhookAttemptState | undefined,
  range: WebhookFilter['range'],
): WebhookFilter => ({ ...(type && { type }), ...(state && { state }), range });

/** Whether a filter leaves anything out. */
export const isFiltered = ({ type, state, range }: WebhookFilter): boolean =>
  type !== undefined || state !== undefined || range !== null;
