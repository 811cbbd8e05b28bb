import { t } from 'elysia';
import { CostsResponse } from './billing.ts';
import { StorageResponse } from './buckets.ts';
import { byteCount, described, named } from './fields.ts';
import { FileResponse } from './files.ts';

const { id, name, size, file_type, status, thumbhash, date } = FileResponse.properties;

const RecentFile = named(
  'RecentFile',
  t.Object({
    ...{ id, name, size, file_type, status, thumbhash, date },
    bucket_id: t.String(),
    bucket_name: t.String(),
  }),
);

const MonthSeries = named(
  'MonthSeries',
  t.Object({
    days: described('Each UTC day of this month up to today.', t.Array(byteCount())),
    before: described('Each day of the month before.', t.Array(byteCount())),
  }),
);

export const SummaryResponse = named(
  'AccountSummary',
  t.Object({
    today: described('The current UTC day, yyyy-MM-dd.', t.String()),
    balance: described(
      'The balance in USD and the current rate; null where nothing can be paid, or nothing is charged.',
      t.Nullable(t.Object({ credit: t.Number(), recent: CostsResponse.properties.recent })),
    ),
    storage: t.Object({ ...StorageResponse.properties, files: t.Integer() }),
    months: described(
      'In bytes and requests; null where the account has more buckets than are added up.',
      t.Nullable(t.Object({ storage: MonthSeries, bandwidth: MonthSeries, requests: MonthSeries })),
    ),
    recent: described('The newest files of all buckets.', t.Array(RecentFile)),
  }),
);
