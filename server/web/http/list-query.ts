import { t } from 'elysia';
import { PAGE_SIZE } from '../../contract/limits.ts';

/** Days that there are: the thirtieth of February would silently become another. */
const LEAP_YEAR = '(\\d{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
const DAYS = [
  '\\d{4}-(0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])',
  '\\d{4}-(0[469]|11)-(0[1-9]|[12]\\d|30)',
  '\\d{4}-02-(0[1-9]|1\\d|2[0-8])',
  `${LEAP_YEAR}-02-29`,
];

/** A query parameter that is a day in UTC, or empty. */
export const day = (name: string) =>
  t.Optional(
    t.String({
      pattern: `^(${DAYS.join('|')})?$`,
      error: `${name} must be a day like 2025-12-31.`,
    }),
  );

/** The query parameter that says what bytes are counted in on a chart. */
export const unit = t.Optional(
  t.Union(
    [
      t.Literal('Bytes'),
      t.Literal('KiB'),
      t.Literal('MiB'),
      t.Literal('GiB'),
      t.Literal('TiB'),
      t.Literal(''),
    ],
    { error: 'unit must be Bytes, KiB, MiB, GiB or TiB.' },
  ),
);

/** The query parameters of every list. An empty one counts as unset. */
export const listQuery = {
  cursor: t.Optional(
    t.String({ pattern: '^(0|[0-9a-z]{26})?$', error: 'cursor must be 0 or a nextId.' }),
  ),
  limit: t.Optional(
    t.Integer({ minimum: 1, maximum: PAGE_SIZE, error: `limit must be 1 to ${PAGE_SIZE}.` }),
  ),
  from: day('from'),
  to: day('to'),
};
