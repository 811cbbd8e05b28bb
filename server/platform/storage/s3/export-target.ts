import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type S3Settings, s3Bucket } from './client.ts';
import { isMissing } from './errors.ts';
import { MAX_PARTS, MIN_PART_BYTES } from './put.ts';

/** A file that is stored in a bucket of an S3 server as its owner has stored it here. */
type Exported = {
  path: string;
  size: number | null;
  etag: string;
  contentType: string;
  headers: Record<string, string>;
  metadata: Record<string, string>;
  createdAt: number;
};

/** Visible ASCII, as other texts can't be sent as headers. */
const HEADER_VALUE = /^[\x20-\x7e]*$/;
const METADATA_NAME = /^[a-z0-9_.-]+$/i;

/** Opens a bucket of an S3 server for files with their types, headers and metadata. Connects to nothing yet. */
export function openExportTarget(settings: S3Settings) {
  const { name: Bucket, root, reading, writing } = s3Bucket(settings);
  return {
    /**
     * Whether an object has the bytes of a file: by its ETag, which is the MD5 of what was sent at once, else by its size
     * and by being newer than the file.
     */
    async has({ path, size, etag, createdAt }: Exported): Promise<boolean> {
      const head = await reading
        .send(new HeadObjectCommand({ Bucket, Key: root + path }))
        .catch((error) => {
          if (isMissing(error)) return null;
          throw error;
        });
      if (!head || (size !== null && head.ContentLength !== size)) return false;
      const found = head.ETag?.replaceAll('"', '') ?? '';
      if (found === etag) return true;
      return found.includes('-') && (head.LastModified?.getTime() ?? 0) > createdAt;
    },

    async put(file: Exported, body: ReadableStream<Uint8Array>): Promise<void> {
      const { path, size, contentType, headers } = file;
      const metadata = Object.entries(file.metadata).filter(
        ([name, value]) => METADATA_NAME.test(name) && HEADER_VALUE.test(value),
      );
      await new Upload({
        client: writing,
        partSize: Math.max(MIN_PART_BYTES, Math.ceil((size ?? 0) / MAX_PARTS)),
        queueSize: 1,
        params: {
          ...{ Bucket, Key: root + path, Body: body, ContentType: contentType },
          CacheControl: headers['cache-control'],
          ContentDisposition: headers['content-disposition'],
          ContentEncoding: headers['content-encoding'],
          ContentLanguage: headers['content-language'],
          Metadata: Object.fromEntries(metadata),
        },
      }).done();
    },
  };
}
