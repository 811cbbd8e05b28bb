import { contentTypeOf, type ObjectRow, unknownEtag } from '../../files/service.ts';
import { deliveredBytes } from '../../media/service.ts';

/** A file as S3 clients see it. */
export type ObjectView = {
  /** The key of the stored object; null where there are no bytes. */
  source: string | null;
  /** Null where it is not known before the object is opened. */
  size: number | null;
  /** Without quotes. */
  etag: string;
  contentType: string;
  /** `GLACIER` where the bytes that were uploaded aren't kept, which clients skip. */
  storageClass: 'STANDARD' | 'GLACIER';
  /** Whether it is a folder that was created, which has no bytes. */
  isFolder: boolean;
};

const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e';

/**
 * Returns a file as S3 clients see it: with the bytes that were uploaded. Of an image whose upload isn't kept these are
 * the ones that are delivered.
 */
export function viewObject(row: ObjectRow): ObjectView {
  const common = {
    contentType: row.content_type,
    storageClass: 'STANDARD',
    isFolder: false,
  } as const;
  if (row.file_type === 'folder') {
    return { ...common, source: null, size: 0, etag: EMPTY_MD5, isFolder: true };
  }
  if (row.object_key !== null) {
    const etag = row.etag ?? row.md5 ?? unknownEtag(row.object_key);
    return { ...common, source: row.object_key, size: row.blob_size, etag };
  }
  const { file_type, status, prefix, entry } = row;
  const isDelivered = file_type === 'image' && status === 'success' && prefix && entry;
  if (isDelivered) {
    const source = prefix + entry;
    const etag = unknownEtag(source);
    return {
      ...common,
      source,
      size: deliveredBytes(row),
      etag,
      contentType: contentTypeOf(entry),
    };
  }
  const etag = unknownEtag(row.id);
  return { ...common, source: null, size: row.size, etag, storageClass: 'GLACIER' };
}

/**
 * Returns a file as it is without a key: an image or a video has what is delivered of it only, as the upload may say
 * where it was made and who made it.
 */
export const withoutOriginal = (row: ObjectRow): ObjectRow =>
  row.status === null ? row : { ...row, object_key: null };
