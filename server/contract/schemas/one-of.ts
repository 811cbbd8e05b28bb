import { t } from 'elysia';

/**
 * The schema of a value that is one of `values`, with null as one where it stands among them.
 * Elysia's own UnionEnum would fill a missing value in with the first choice; and TypeBox types a
 * union only where it is a tuple, which the names of a record are not.
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

/** The names of a record, in their order. */
export const namesOf = <Name extends string>(record: Record<Name, unknown>) =>
  Object.keys(record) as Name[];
