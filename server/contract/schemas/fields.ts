import { type TSchema, t } from 'elysia';
import { CHART_UNITS } from '../charts.ts';
import { PAGE_SIZE } from '../limits.ts';

/**
 * The pattern of real days, because JavaScript reads the thirtieth of February as a day in March.
 */
const LEAP_YEAR = '(\\d{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
const DAYS = [
  '\\d{4}-(0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])',
  '\\d{4}-(0[469]|11)-(0[1-9]|[12]\\d|30)',
  '\\d{4}-02-(0[1-9]|1\\d|2[0-8])',
  `${LEAP_YEAR}-02-29`,
];

/**
 * Returns the schema of a value that is one of `values`, which may include null. Elysia's UnionEnum
 * would replace a missing value by the first choice, and TypeBox infers the type of a union only
 * from a tuple, which the names of a record are not.
 */
export const oneOf = <const Value extends string | null>(
  values: readonly Value[],
  options: { error?: string } = {},
) =>
  t.Unsafe<Value>(
    t.Union(
      values.map((value) => (value === null ? t.Null() : t.Literal(value))),
      options,
    ),
  );

/**
 * Returns a schema that the API reference lists under this name. Generators of clients make it the
 * name of a type.
 */
export const named = <Schema extends TSchema>(title: string, schema: Schema): Schema => ({
  ...schema,
  title,
});

/** Returns a schema with its description for the API reference. */
export const described = <Schema extends TSchema>(description: string, schema: Schema): Schema => ({
  ...schema,
  description,
});

/** The header by which a client repeats a request without repeating what it does. */
export const IdempotencyHeaders = t.Object({
  'idempotency-key': t.Optional(
    t.String({
      format: 'uuid',
      error: 'Idempotency-Key must be a new UUID for each request.',
      description:
        'A UUID. Repeating a request with it within 24 hours returns the same result and creates nothing.',
    }),
  ),
});

/**
 * Returns the schema of a whole number of an answer. Elysia's `t.Integer` reads text too, and compiles a validator of its
 * own for each use: 70 of them took 3 MiB and 10 ms of the start.
 */
export const wholeNumber = (options: { format?: string } = {}) =>
  t.Number({ ...options, multipleOf: 1 });

/** Returns the schema of a count of bytes, which is often more than 32 bits hold. */
export const byteCount = () => wholeNumber({ format: 'int64' });

/** Returns the names of a record, in their order. */
export const namesOf = <Name extends string>(record: Record<Name, unknown>) =>
  Object.keys(record) as Name[];

/** Returns the schema of a query parameter that is a day, or empty. */
export const day = (name: string) =>
  t.Optional(
    t.String({
      pattern: `^(${DAYS.join('|')})?$`,
      error: `${name} must be a day like 2025-12-31.`,
    }),
  );

/** The query parameter with the time zone of `from` and `to`. `requireTimeZone` checks the name. */
export const timeZone = t.Optional(
  t.String({
    description:
      'The IANA time zone of the days from and to, such as Europe/Berlin. UTC by default.',
  }),
);

/** The query parameter with the unit in which a chart counts bytes. */
export const unit = t.Optional(
  oneOf([...namesOf(CHART_UNITS), ''], { error: 'unit must be Bytes, KiB, MiB, GiB or TiB.' }),
);

/** The query parameters of every list. An empty parameter counts as unset. */
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
  tz: timeZone,
};

/**
 * Returns the schema of one page of a list. `nextId` is the cursor of the next page, null on the
 * last.
 */
export const pageOf = <Row extends TSchema>(row: Row) =>
  t.Object({
    data: t.Array(row),
    nextId: t.Nullable(
      t.String({
        description:
          'The cursor of the next page; null on the last one. A page of a search can have fewer rows than limit, or none, before the last one.',
      }),
    ),
  });

export const nullableText = t.Nullable(t.String());

/** Returns the schema of a text filter. It refuses NUL, as PostgreSQL accepts no text with one. */
export const searchText = (name: string, maxLength: number) =>
  t.Optional(
    t.String({
      maxLength,
      pattern: '^[^\\u0000]*$',
      error: `${name} must have at most ${maxLength} characters and no NUL.`,
    }),
  );
