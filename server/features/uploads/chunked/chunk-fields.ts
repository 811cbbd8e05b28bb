import { VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import { formatSize } from '../../../contract/resolutions.ts';
import { tooLarge } from '../../../errors.ts';
import { parsePreconditions } from '../../../web/http/conditional-requests.ts';
import { parseDestination } from '../parsing/destination.ts';
import {
  type FormFields,
  parseAccess,
  parseClientId,
  parseInteger,
  parseOptimize,
  parseResolutions,
  parseYes,
  requireTaken,
} from '../parsing/form-fields.ts';
import { preconditionsOf } from '../sessions/description.ts';

const FIELDS = [
  ...['chunk_number', 'total_chunks', 'client_id', 'access', 'folder', 'path', 'on_conflict'],
  ...['resolution', 'timeline_preview', 'optimize'],
];
/** The fields that say which chunk of which upload a form has. */
const NUMBERS = ['client_id', 'chunk_number', 'total_chunks'];

/** Whether the fields that have arrived so far say which chunk a form has. */
export const hasChunkNumbers = (fields: FormFields): boolean =>
  NUMBERS.every((name) => fields.has(name));

/** The fields of a form with one chunk. */
export type ChunkFields = ReturnType<typeof readChunkFields>;

/**
 * Reads the fields of a form with one chunk, and what its headers expect at the path of the video. Throws invalid, and
 * too-large for too many chunks.
 */
export function readChunkFields(fields: FormFields, headers: Headers, maxVideoBytes: number) {
  requireTaken(fields, FIELDS);
  const maxChunks = Math.ceil(maxVideoBytes / VIDEO_CHUNK_BYTES);
  const total = parseInteger(fields, 'total_chunks', 1, 999_999_999);
  if (total > maxChunks) throw tooLarge(`A video can have at most ${maxVideoBytes} bytes.`);
  const preconditions = parsePreconditions(headers);
  const destination = parseDestination(fields, preconditions);
  const isOptimized = parseOptimize(fields);
  return {
    total,
    number: parseInteger(fields, 'chunk_number', 0, total - 1),
    clientId: parseClientId(fields),
    destination,
    preconditions,
    isOptimized,
    /** What is stored of the first chunk. */
    metadata: {
      access: parseAccess(fields),
      ...(destination.path ? { path: destination.path } : { folder: destination.folder }),
      on_conflict: destination.onConflict,
      ...preconditionsOf(headers),
      resolution: parseResolutions(fields).map(formatSize).join(','),
      timeline_preview: parseYes(fields, 'timeline_preview') ? 'yes' : 'no',
      optimize: isOptimized ? 'yes' : 'no',
    },
  };
}

/** Whether the fields of a form say of two of its files that they belong to the same chunk. */
export const isOfSameChunk = (one: ChunkFields, other: ChunkFields): boolean =>
  one.clientId === other.clientId && one.number === other.number && one.total === other.total;
