import type { Schema } from './openapi.ts';

/**
 * The formats by which Elysia also accepts a number or a boolean as text. They are not shown as
 * types.
 */
const COERCED = ['integer', 'numeric', 'boolean'];

/** Returns the alternatives of a schema. */
export const variantsOf = (schema: Schema): Schema[] =>
  (schema.anyOf ?? schema.oneOf ?? []).filter(
    ({ type, format = '' }) => type !== 'string' || !COERCED.includes(format),
  );

/**
 * Returns the type of a value as text, such as `string or null`, `list of objects` or `'login' or
 * 'signup'`.
 */
export function typeText(schema: Schema): string {
  const text = plainType(schema);
  return schema.nullable && !text.endsWith('null') ? `${text} or null` : text;
}

function plainType(schema: Schema): string {
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.map((one) => JSON.stringify(one)).join(' or ');
  const variants = variantsOf(schema);
  if (variants.length > 0) return [...new Set(variants.map(typeText))].join(' or ');
  if (schema.type === 'array') return `list of ${plural(typeText(schema.items ?? {}))}`;
  if (schema.format === 'binary') return 'file';
  return schema.type ?? 'anything';
}

/** Returns the values of an enumeration, without the empty text that stands for no choice. */
export const choicesOf = (schema: Schema): unknown[] =>
  (schema.enum ?? (schema.const === undefined ? [] : [schema.const])).filter((one) => one !== '');

const plural = (type: string) => (/^[a-z]+$/.test(type) ? `${type}s` : type);

/** Returns the limits of a value as text, such as `3 to 254 characters` or `100000 to 999999`. */
export function limitsText(schema: Schema): string {
  return [
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minimum, schema.maximum, ''),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (min !== undefined && max !== undefined) return `${min} to ${max}${unit}`;
  if (max !== undefined) return `at most ${max}${unit}`;
  return min === undefined ? '' : `at least ${min}${unit}`;
}

export type Row = { name: string; required: boolean; schema: Schema };

/**
 * Returns the fields of an object. The fields of a nested object follow it, such as `data[].id`.
 */
export function fieldsOf(schema: Schema, prefix = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    const required = schema.required?.includes(key) ?? false;
    return [{ name, required, schema: value }, ...innerFields(value, name)];
  });
}

function innerFields(schema: Schema, name: string): Row[] {
  const shape = [schema, ...variantsOf(schema)].find((one) => one.properties ?? one.items);
  if (shape?.items) return innerFields(shape.items, `${name}[]`);
  return shape ? fieldsOf(shape, `${name}.`) : [];
}
