import { invalid, unauthorized } from '../../../errors.ts';
import type { Preconditions } from '../../../web/http/conditional-requests.ts';
import { can } from '../../access/can.ts';
import {
  keptName,
  type OnConflict,
  pathInFolder,
  requireFolder,
  requirePath,
} from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import type { FormFields } from './form-fields.ts';

/** Where an upload is to be in its bucket, as its fields say. */
export type PathFields = {
  /** Its whole path; null where it is under its name in `folder`, which is '' for the top. */
  path: string | null;
  folder: string;
  onConflict: OnConflict;
};

const ON_CONFLICT: OnConflict[] = ['rename', 'replace', 'error'];

/**
 * Parses `path` or `folder`, where a file is to be in its bucket, and `on_conflict`, what to do where another file is
 * there. By default a file is under its name, with a number where that is taken, and an upload to a path of its own is
 * refused there. One with If-Match replaces the file that it names. Throws invalid.
 */
export function parseDestination(
  fields: FormFields,
  { ifMatch }: Pick<Preconditions, 'ifMatch'>,
): PathFields {
  const [path, folder, onConflict] = ['path', 'folder', 'on_conflict'].map(
    (name) => fields.get(name) || null,
  );
  if (path && folder) throw invalid('Send path or folder, not both.');
  const chosen = ON_CONFLICT.find((one) => one === onConflict);
  if (!chosen && onConflict) throw invalid('on_conflict must be rename, replace or error.');
  const byDefault = ifMatch !== null ? 'replace' : path ? 'error' : 'rename';
  return {
    path: path ? requirePath(path) : null,
    folder: requireFolder(folder ?? ''),
    onConflict: chosen ?? byDefault,
  };
}

/** Returns the path and the name that a file of a name has at a destination, if its path is free. */
export const placeOf = ({ path, folder }: PathFields, name: string) =>
  path === null ? { path: pathInFolder(folder, name), name } : { path, name: keptName(path, name) };

/** Throws unauthorized where a caller would replace a file and may not delete it. */
export function requireMayReplace(
  { principal, bucket }: Pick<Caller, 'principal' | 'bucket'>,
  { onConflict }: PathFields,
): void {
  if (onConflict === 'replace' && can(principal, 'write-files', bucket)) {
    throw unauthorized("Write tokens can't replace files. Send the bucket's API key instead.");
  }
}
