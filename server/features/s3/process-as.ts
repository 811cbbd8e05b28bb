import { IMAGE_MAX_BYTES } from '../../contract/limits.ts';
import type { MediaType } from '../../contract/wire.ts';
import type { SourceObject } from '../../platform/storage/port.ts';
import type { Bucket } from '../buckets/service.ts';
import { mediaTypeOf, SNIFF_BYTES } from '../uploads/service.ts';
import type { OperationDeps } from './context.ts';
import type { StoredFields } from './operations/object-headers.ts';

type Limits = Pick<OperationDeps, 'maxVideoBytes'>;

/** Returns the first bytes of a stored object, which tell what it is; none where it is gone. */
export async function readHead(
  { objects }: Pick<OperationDeps, 'objects'>,
  { key, size }: SourceObject,
): Promise<Uint8Array> {
  const object = await objects.open(key, { size });
  const head = object?.body({ start: 0, end: Math.min(size, SNIFF_BYTES) });
  return new Uint8Array(await new Response(head ?? null).arrayBuffer());
}

/**
 * Returns as what an object is processed; null where its bucket doesn't process what S3 clients put, where it is neither
 * an image nor a video, and where it is larger than those may be. Bytes in a coding, such as gzip, are none either.
 * @param getHead returns its first bytes
 */
export async function processAs(
  { maxVideoBytes }: Limits,
  bucket: Bucket,
  { size, stored }: { size: number } & Pick<StoredFields, 'stored'>,
  getHead: () => Uint8Array | Promise<Uint8Array>,
): Promise<MediaType | null> {
  if (bucket.process_s3 !== 1 || size === 0 || hasEncoding(stored.headers)) return null;
  const type = await mediaTypeOf(await getHead());
  if (type === null) return null;
  return size <= (type === 'image' ? IMAGE_MAX_BYTES : maxVideoBytes) ? type : null;
}

const hasEncoding = (headers: string | null): boolean =>
  headers !== null && 'content-encoding' in JSON.parse(headers);
