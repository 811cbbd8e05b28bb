import { type TSchema, t } from 'elysia';
import { CHART_UNITS } from '../charts.ts';
import { PAGE_SIZE } from '../limits.ts';
import { namesOf, oneOf } from './one-of.ts';

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
  oneOf([...namesOf(CHART_UNITS), ''], { error: 'unit must be Bytes, KiB, MiB, GiB or TiB.' }),
);

/** The query parameters of every list. An empty one counts as unset. */
export const listQuery = {
  cursor: t.Optional(
    t.String({
      pattern: '^(0|[0-9a-z]{26})?$',
      error: 'cursor must be 0 or a nextId from an earlier response.',
    }),
  ),
  limit: t.Optional(
    t.Integer({ minimum: 1, maximum: PAGE_SIZE, error: `limit must be 1 to ${PAGE_SIZE}.` }),
  ),
  from: day('from'),
  to: day('to'),
};

/** One page of a list; `nextId` is the cursor of the next one, null at the end. */
export const pageOf = <Row extends TSchema>(row: Row) =>
  t.Object({ data: t.Array(row), nextId: t.Nullable(t.String()) });

export const nullableText = t.Nullable(t.String());

/** A filter by the beginning or a part of a text. PostgreSQL takes no text with a NUL in it. */
export const searchText = (name: string, maxLength: number) =>
  t.Optional(
    t.String({
      maxLength,
      pattern: '^[^\\u0000]*$',
      error: `${name} must have at most ${maxLength} characters and no NUL.`,
    }),
  );
