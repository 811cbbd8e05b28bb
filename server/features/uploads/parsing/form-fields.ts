import type { Size } from '../../../contract/media.ts';
import { parseSize } from '../../../contract/resolutions.ts';
import type { Access } from '../../../contract/wire.ts';
import { invalid } from '../../../errors.ts';

export type FormFields = ReadonlyMap<string, string>;

const MAX_RESOLUTIONS = 8;

/** All fields of upload calls beside the files. */
const UPLOAD_FIELDS = [
  ...['access', 'folder', 'path', 'on_conflict', 'webp', 'resolution', 'timeline_preview'],
  ...['optimize', 'client_id', 'chunk_number', 'total_chunks'],
];

/**
 * Throws invalid where a form has a field of another upload call, as its client would believe that it counts. A field
 * that no call knows, such as one that a page adds to each form, is ignored.
 * @param taken the fields of this call
 */
export function requireTaken(fields: FormFields, taken: readonly string[]): void {
  const other = UPLOAD_FIELDS.find((name) => fields.has(name) && !taken.includes(name));
  if (other) throw invalid(`This call takes ${taken.join(', ')}, and not ${other}.`);
}

/** Parses `access`, which is public where the form does not say. Throws invalid. */
export function parseAccess(fields: FormFields): Access {
  const value = fields.get('access') || 'public';
  if (value !== 'public' && value !== 'private') throw invalid('access must be public or private.');
  return value;
}

const YES = ['yes', 'true', '1'];
const NO = ['', 'no', 'false', '0'];

/** Parses a checkbox, which is no where the form does not say. Throws invalid. */
export function parseYes(fields: FormFields, name: string): boolean {
  const value = fields.get(name) ?? '';
  if (!YES.includes(value) && !NO.includes(value)) throw invalid(`${name} must be yes or no.`);
  return YES.includes(value);
}

/**
 * Parses `optimize`, which is yes where the form does not say. With no, a file is delivered as it is, so that the
 * fields of its optimisation have no meaning. Throws invalid.
 */
export function parseOptimize(fields: FormFields): boolean {
  if (!fields.get('optimize') || parseYes(fields, 'optimize')) return true;
  const other = ['webp', 'timeline_preview'].find((name) => parseYes(fields, name));
  if (!other && !fields.get('resolution')) return false;
  throw invalid(`With optimize=no, don't send ${other ?? 'resolution'}.`);
}

/**
 * Parses `resolution`, a comma-separated list of WIDTHxHEIGHT; an empty list means the source's
 * size.
 */
export function parseResolutions(fields: FormFields): Size[] {
  const names = (fields.get('resolution') ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  const sizes = names.map((name) => {
    const size = parseSize(name);
    if (!size) throw invalid(`resolution must be sizes like 1280x720, not '${name.slice(0, 40)}'.`);
    return size;
  });
  if (sizes.length > MAX_RESOLUTIONS) {
    throw invalid(`resolution takes at most ${MAX_RESOLUTIONS} sizes.`);
  }
  return sizes;
}

/** A whole number from `min` to `max`. */
export function parseInteger(fields: FormFields, name: string, min: number, max: number): number {
  const value = fields.get(name) ?? '';
  const number = Number(value);
  if (!/^\d{1,9}$/.test(value) || number < min || number > max) {
    throw invalid(`${name} must be a whole number from ${min} to ${max}.`);
  }
  return number;
}

/** Parses `client_id`, by which a client identifies an upload. Throws invalid. */
export function parseClientId(fields: FormFields): string {
  const value = fields.get('client_id') ?? '';
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(value)) {
    throw invalid('client_id must be 1 to 100 letters, digits, dashes or underscores.');
  }
  return value;
}
