import type { Size } from '../../../contract/media.ts';
import type { Access } from '../../../contract/wire.ts';
import type { Preconditions } from '../../../web/http/conditional-requests.ts';
import { type PathFields, parseDestination } from '../parsing/destination.ts';
import { parseAccess, parseOptimize, parseResolutions, parseYes } from '../parsing/form-fields.ts';

/** What a client says of an upload, by the names of the fields that a form has. */
export type UploadDescription = {
  fileName: string | undefined;
  /** The media type that the client claims. */
  fileType: string | undefined;
  access: Access;
  destination: PathFields;
  preconditions: Preconditions;
  webp: boolean;
  isOptimized: boolean;
  resolutions: Size[];
  timelinePreview: boolean;
};

/** The headers of an upload's first request, as they are stored with what it says. */
const IF_MATCH = 'if-match';
const IF_NONE_MATCH = 'if-none-match';

const KEYS = [
  ...['filename', 'filetype', 'access', 'path', 'folder', 'on_conflict'],
  ...['webp', 'resolution', 'timeline_preview', 'optimize', IF_MATCH, IF_NONE_MATCH],
];
const MAX_VALUE_LENGTH = 4096;
/** Uppy and tus-js-client send these texts for values that were never set. */
const UNSET_VALUES = new Set(['undefined', 'null']);

/** Returns the preconditions of a request as metadata, which `parseMetadata` reads. */
export function preconditionsOf(headers: Headers): Record<string, string> {
  const found = [IF_MATCH, IF_NONE_MATCH].map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(found.filter((one): one is [string, string] => one[1] !== null));
}

/** Returns the metadata of an upload as its client has sent it. */
export function withoutPreconditions(
  metadata: Record<string, string | null>,
): Record<string, string | null> {
  const { [IF_MATCH]: _, [IF_NONE_MATCH]: __, ...sent } = metadata;
  return sent;
}

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
  const preconditions = {
    ifMatch: fields.get(IF_MATCH) ?? null,
    ifNoneMatch: fields.get(IF_NONE_MATCH) ?? null,
  };
  return {
    fileName: fields.get('filename'),
    fileType: fields.get('filetype'),
    access: parseAccess(fields),
    destination: parseDestination(fields, preconditions),
    preconditions,
    webp: parseYes(fields, 'webp'),
    isOptimized: parseOptimize(fields),
    timelinePreview: parseYes(fields, 'timeline_preview'),
    resolutions: parseResolutions(fields),
  };
}
