import { VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import { formatSize } from '../../../contract/resolutions.ts';
import { tooLarge } from '../../../errors.ts';
import {
  type FormFields,
  parseAccess,
  parseClientId,
  parseFolder,
  parseInteger,
  parseResolutions,
  parseYes,
} from '../parsing/form-fields.ts';

/** The fields of a form with one chunk. */
export type ChunkFields = ReturnType<typeof readChunkFields>;

/** Reads the fields of a form with one chunk. Throws invalid, and too-large for too many chunks. */
export function readChunkFields(fields: FormFields, maxVideoBytes: number) {
  const maxChunks = Math.ceil(maxVideoBytes / VIDEO_CHUNK_BYTES);
  const total = parseInteger(fields, 'total_chunks', 1, 999_999_999);
  if (total > maxChunks) throw tooLarge(`A video can have at most ${maxVideoBytes} bytes.`);
  return {
    total,
    number: parseInteger(fields, 'chunk_number', 0, total - 1),
    clientId: parseClientId(fields),
    /** What is stored of the first chunk. */
    metadata: {
      access: parseAccess(fields),
      folder: parseFolder(fields),
      resolution: parseResolutions(fields).map(formatSize).join(','),
      timeline_preview: parseYes(fields, 'timeline_preview') ? 'yes' : 'no',
    },
  };
}
