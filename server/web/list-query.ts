import { t } from 'elysia';
import { PAGE_SIZE } from '../contract/limits.ts';

/** A query parameter that is a day in UTC, or empty. */
export const day = (name: string) =>
  t.Optional(
    t.String({
      pattern: '^(\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01]))?$',
      error: `${name} must be a day like 2025-12-31.`,
    }),
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
