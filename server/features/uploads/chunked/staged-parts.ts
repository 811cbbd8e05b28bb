import { IMAGE_MAX_BYTES, VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import { concatenate } from '../../../platform/storage/concatenate.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import { discardOriginal, type OriginalDeps, storeOriginal } from '../form/store-original.ts';
import type { FormFields } from '../parsing/form-fields.ts';
import type { FilePart } from '../parsing/multipart.ts';
import { peekStream } from '../parsing/sniff.ts';

/** A file of a form that is stored until the fields behind it say which chunk it is, or belongs to. */
export type StagedPart = {
  part: Pick<FilePart, 'field' | 'fileName'>;
  key: string;
  size: number;
  /** Makes its deletion due. */
  discard: () => Promise<void>;
};

/**
 * Stores a file of a form for the time of its request. Its bytes are reserved as they arrive, and their deletion is
 * pending from the start. Throws storage-full, quota-exceeded and too-large.
 */
export async function stagePart(
  deps: OriginalDeps,
  bucket: Bucket,
  { field, fileName, body }: FilePart,
): Promise<StagedPart> {
  const maxBytes = field === 'thumbnail' ? IMAGE_MAX_BYTES : VIDEO_CHUNK_BYTES;
  // The length of the form is not that of one of its files.
  const options = { length: null, maxBytes, objectName: 'staged' };
  const { body: stream } = await peekStream(body, 0);
  const { prefix, key, size } = await storeOriginal(deps, bucket, options, () => stream);
  return { part: { field, fileName }, key, size, discard: () => discardOriginal(deps, prefix) };
}

/** Returns a staged file as a part of the form that comes behind all of its fields. */
export const openStaged = (
  objects: Pick<ObjectStore, 'open'>,
  { part, key, size }: StagedPart,
  fields: FormFields,
): FilePart => ({ ...part, fields, body: concatenate(objects, [{ key, size }]) });
