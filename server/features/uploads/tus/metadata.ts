import { AppError } from '../../../errors.ts';
import type { FormFields } from '../parsing/form-fields.ts';
import { parseAccess, parseResolutions, parseYes } from '../parsing/form-fields.ts';

const KEYS = ['filename', 'filetype', 'access', 'webp', 'resolution', 'timeline_preview'];

/** Uppy and tus-js-client make text of everything, also of what was never set. */
const UNSET = new Set(['undefined', 'null']);

/** Reads Upload-Metadata as the fields of a form, other keys left out. Throws AppError invalid. */
export function fieldsOf(metadata: Record<string, string | null> | undefined): FormFields {
  const fields = new Map<string, string>();
  for (const key of KEYS) {
    const value = metadata?.[key];
    if (value && !(UNSET.has(value) && key !== 'filename')) fields.set(key, value.slice(0, 4096));
  }
  parseAccess(fields);
  parseYes(fields, 'webp');
  parseYes(fields, 'timeline_preview');
  parseResolutions(fields.get('resolution') ?? '');
  return fields;
}

/** What tus-server throws and expects to be thrown. */
export type TusError = { status_code: number; body: string };

export const asTusError = (error: unknown): TusError | undefined =>
  error instanceof AppError ? { status_code: error.status, body: `${error.text}\n` } : undefined;
