import type { Size } from '../../../contract/media.ts';
import type { Access } from '../../../contract/wire.ts';
import { type Destination, parseDestination } from '../parsing/destination.ts';
import { parseAccess, parseResolutions, parseYes } from '../parsing/form-fields.ts';

/** What a client says of an upload, by the names of the fields that a form has. */
export type UploadDescription = {
  fileName: string | undefined;
  /** The media type that the client claims. */
  fileType: string | undefined;
  access: Access;
  destination: Destination;
  webp: boolean;
  resolutions: Size[];
  timelinePreview: boolean;
};

const KEYS = [
  ...['filename', 'filetype', 'access', 'path', 'folder', 'on_conflict'],
  ...['webp', 'resolution', 'timeline_preview'],
];
const MAX_VALUE_LENGTH = 4096;
/** Uppy and tus-js-client send these texts for values that were never set. */
const UNSET_VALUES = new Set(['undefined', 'null']);

/** Parses Upload-Metadata, or what is stored like it. Unknown keys are ignored. Throws invalid. */
export function parseMetadata(
  metadata: Record<string, string | null> | undefined,
): UploadDescription {
  const fields = new Map<string, string>();
  for (const key of KEYS) {
    const value = metadata?.[key];
    // A file may be called 'null'.
    const isUnset = !value || (UNSET_VALUES.has(value) && key !== 'filename');
    if (!isUnset) fields.set(key, value.slice(0, MAX_VALUE_LENGTH));
  }
  return {
    fileName: fields.get('filename'),
    fileType: fields.get('filetype'),
    access: parseAccess(fields),
    destination: parseDestination(fields, { ifMatch: null }),
    webp: parseYes(fields, 'webp'),
    timelinePreview: parseYes(fields, 'timeline_preview'),
    resolutions: parseResolutions(fields),
  };
}
