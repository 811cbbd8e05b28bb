import { S3Error } from '../errors.ts';

/** Returns a number of a query from 0 to a maximum, which a larger one counts as. Throws InvalidArgument. */
export function parseCount(
  query: ReadonlyMap<string, string>,
  name: string,
  maximum: number,
): number {
  const text = query.get(name);
  if (text === undefined || text === '') return maximum;
  if (!/^\d{1,10}$/.test(text) || Number(text) > 2 ** 31 - 1) {
    throw new S3Error('InvalidArgument', `${name} must be a whole number from 0.`, {
      ArgumentName: name,
      ArgumentValue: text,
    });
  }
  return Math.min(maximum, Number(text));
}

/** Returns the function that writes keys as a list was asked to write them. Throws InvalidArgument. */
export function keyEncoding(query: ReadonlyMap<string, string>): {
  encode: (key: string) => string;
  type: string | undefined;
} {
  const type = query.get('encoding-type');
  if (type === undefined || type === '') return { encode: (key) => key, type: undefined };
  if (type !== 'url') {
    throw new S3Error('InvalidArgument', 'encoding-type must be url.', {
      ArgumentName: 'encoding-type',
      ArgumentValue: type,
    });
  }
  return { encode: encodeKey, type };
}

/** As S3 encodes keys in lists: a slash stays. */
const encodeKey = (key: string): string =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
