import type { Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { toDownloadError } from '../../outbound/download.ts';
import type { GuardOptions } from '../../outbound/guarded-response.ts';
import { AddressRefusedError } from '../../outbound/ssrf-policy.ts';
import {
  type RemoteBucket,
  RemoteBucketError,
  type RemoteBucketSettings,
} from '../remote-bucket.ts';
import { clientSettings } from './client.ts';
import { isMissing, isTransient, statusOf } from './errors.ts';
import { guardedHandler } from './guarded-handler.ts';

const PAGE_SIZE = 1000;
const ATTEMPTS = 3;
/** As of S3. What is listed is stored, and a hostile server would list keys of some MiB. */
const MAX_KEY_BYTES = 1024;
const MAX_ETAG_LENGTH = 128;

/** Opens a bucket of a server that a user has chosen. Connects to nothing yet. */
export function openRemoteBucket(
  { bucket: name, ...settings }: RemoteBucketSettings,
  guard: GuardOptions,
): RemoteBucket {
  const client = new S3Client({
    ...clientSettings({ ...settings, sessionToken: null }),
    maxAttempts: ATTEMPTS,
    requestHandler: guardedHandler(guard),
  });
  return {
    list: ({ prefix, after }, { limit = PAGE_SIZE, signal }) =>
      translated(signal, async () => {
        const page = await client.send(
          new ListObjectsV2Command({
            Bucket: name,
            Prefix: prefix,
            ...(after && { StartAfter: after }),
            MaxKeys: limit,
            // Keys can have characters that XML can't.
            EncodingType: 'url',
          }),
          { abortSignal: signal },
        );
        const decode = page.EncodingType === 'url' ? decodeKey : (key: string) => key;
        const entries = (page.Contents ?? []).map(({ Key = '', Size = 0, ETag = '' }) => ({
          ...{ key: requireKey(decode(Key)), size: Math.max(0, Size), etag: etagOf(ETag) },
        }));
        return { entries, isLast: page.IsTruncated !== true || entries.length === 0 };
      }),

    open: (entry, signal) =>
      translated(signal, async () => {
        const { key: Key } = entry;
        const unchanged = entry.etag !== '' && { IfMatch: `"${entry.etag}"` };
        const command = new GetObjectCommand({ Bucket: name, Key, ...unchanged });
        const object = await client.send(command, { abortSignal: signal });
        const body = object.Body as Readable;
        const etag = entry.etag || etagOf(object.ETag ?? '');
        return {
          ...{ headers: headersOf(object), etag, md5: md5Of(etag, object) },
          size: object.ContentLength ?? null,
          body: translatedBody(body, signal),
          close: () => void body.destroy(),
        };
      }),
  };
}

/** Keys in lists are encoded as in forms, with '+' for a space. */
const decodeKey = (key: string) => decodeURIComponent(key.replaceAll('+', ' '));

function requireKey(key: string): string {
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key;
  throw new RemoteBucketError(
    'refused',
    'The S3 server lists a key that is longer than 1,024 bytes.',
  );
}

function etagOf(text: string): string {
  const etag = text.replaceAll('"', '');
  return etag.length > MAX_ETAG_LENGTH ? '' : etag;
}

/** The ETag of an object that the server encrypts with a key of its own or of its client is none of its bytes. */
function md5Of(etag: string, object: GetObjectCommandOutput): string | null {
  const isEncrypted =
    object.ServerSideEncryption?.startsWith('aws:kms') || object.SSECustomerAlgorithm !== undefined;
  return !isEncrypted && /^[0-9a-f]{32}$/.test(etag) ? etag : null;
}

function headersOf(object: GetObjectCommandOutput): Headers {
  const headers = new Headers();
  const own = {
    'content-type': object.ContentType,
    'cache-control': object.CacheControl,
    'content-disposition': object.ContentDisposition,
    'content-encoding': object.ContentEncoding,
    'content-language': object.ContentLanguage,
    expires: object.ExpiresString,
  };
  for (const [name, value] of Object.entries(own)) if (value) headers.set(name, value);
  for (const [name, value] of Object.entries(object.Metadata ?? {})) {
    headers.set(`x-amz-meta-${name}`, value);
  }
  return headers;
}

async function* translatedBody(body: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const bytes of body) yield bytes;
  } catch (error) {
    signal.throwIfAborted();
    throw toRemoteError(error);
  }
}

async function translated<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw toRemoteError(error);
  }
}

const REFUSALS: Record<number, string> = {
  301: 'The bucket is in another region.',
  307: 'The bucket is in another region.',
  401: 'The S3 server refused the access key.',
  403: 'The S3 server refused the access key, or the key may not read this.',
  404: 'The S3 server has no such bucket or object.',
  412: 'The object has changed meanwhile.',
};

function toRemoteError(error: unknown): RemoteBucketError {
  if (error instanceof RemoteBucketError) return error;
  const status = statusOf(error);
  if (status === 0) {
    const { message } = toDownloadError(error);
    const isRefused = error instanceof AddressRefusedError || error instanceof TypeError;
    return new RemoteBucketError(isRefused ? 'refused' : 'unavailable', message, { cause: error });
  }
  const isPassing = isTransient(error) || status < 300;
  const kind = isMissing(error) ? 'missing' : isPassing ? 'unavailable' : 'refused';
  const text = REFUSALS[status] ?? `The S3 server responded with ${status}.`;
  return new RemoteBucketError(kind, text, { cause: error });
}
