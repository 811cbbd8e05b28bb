import type { UploadRules } from '../../../server/contract/files/upload-rules.ts';
import { formatBytes, truncate } from '../../../server/contract/units.ts';

/** What a bucket's owner demands of a single file. */
export type FileRules = Pick<UploadRules, 'allowed_types' | 'max_file_bytes'>;

/** So many types are named. */
const MAX_NAMED_TYPES = 4;
const KINDS: Record<string, string> = {
  'image/*': 'images',
  'video/*': 'videos',
  'audio/*': 'audio',
  'text/*': 'text files',
  'font/*': 'fonts',
};

/** Returns what a bucket accepts, as a sentence; null where it accepts any file. */
export function rulesText({ allowed_types, max_file_bytes }: FileRules): string | null {
  const named = allowed_types.slice(0, MAX_NAMED_TYPES).map((type) => KINDS[type] ?? type);
  const more = allowed_types.length - named.length;
  const all = more > 0 ? [...named, `${more} more ${more === 1 ? 'type' : 'types'}`] : named;
  const types = new Intl.ListFormat('en-GB').format(all);
  const size = max_file_bytes === null ? null : `up to ${formatBytes(max_file_bytes)} each`;
  if (types === '') return size && `This bucket accepts files of ${size}.`;
  return `This bucket accepts ${types}${size ? `, ${size}` : ''}.`;
}

/**
 * Returns why the first file that is too large for a bucket is refused; null without. The server judges types by the
 * content, which a browser does not read.
 */
export function tooLargeText(
  files: readonly { name: string; size: number }[],
  { max_file_bytes: most }: FileRules,
): string | null {
  const file = most === null ? undefined : files.find(({ size }) => size > most);
  if (!file || most === null) return null;
  return `${truncate(file.name)} is larger than ${formatBytes(most)}, the most that this bucket accepts.`;
}
