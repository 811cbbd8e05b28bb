import type { FileType } from '../../contract/wire.ts';
import { isPublic } from '../access/can.ts';
import { type Bucket, parseRules } from '../buckets/service.ts';
import { contentTypeOf, type DeliveredFile, isProcessed } from '../files/service.ts';
import { contentDisposition, deliveredName } from './content-disposition.ts';
import type { SitePart } from './sites/site-paths.ts';

/**
 * The headers of every response, also of errors. No upload may act as a page of this origin: an SVG
 * runs no script, loads nothing and reads no storage. Pages of other sites may show, read and time
 * public files, and private ones with a token.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'accept-ranges, content-disposition, content-length, content-range, etag, retry-after, x-error-code',
  'timing-allow-origin': '*',
};

/**
 * What a browser could run as a page, show by a viewer with rights of its own, or take for several documents with
 * headers of their own (RFC 2046, 5.1 and 5.2). The images that we process, also SVGs, are only shown.
 */
export const RUNS_IN_BROWSERS =
  /html|xml(?!formats)|xsl|javascript|ecmascript|pdf|^multipart\/|^message\/|mimearchive/i;

/**
 * The headers of a page of a static site, which runs its scripts. In its sandbox it has an origin of its own (HTML
 * standard, 7.1.1): no cookies, storage or workers, and it reads no page, also not another one of the same host. A page
 * that was opened with a token does not tell it to where its links lead.
 */
const PAGE_HEADERS = {
  'content-security-policy': 'sandbox allow-scripts',
  'referrer-policy': 'no-referrer',
};
const IS_PAGE = /^text\/html *(;|$)/i;

/** What the headers of an object depend on. */
export type Subject = {
  file: Pick<
    DeliveredFile,
    'id' | 'name' | 'file_type' | 'content_type' | 'access' | 'status' | 'expires_at' | 'headers'
  >;
  bucket: Pick<Bucket, 'id' | 'delivery_rules' | 'ignores_public'>;
  /** The object's name below the file. */
  name: string;
  /** The name of the object that is downloaded with the name of the file. */
  entry: string | null;
  /** A preview is for the owner alone. */
  use: 'inline' | 'download' | 'preview';
  /** Whether it is opened by its path, at which another file may be later. */
  isByPath: boolean;
  /** What it is to the static site of its bucket; null where it is part of none. */
  sitePart: SitePart | null;
  /** Whether another client gets another format. */
  isByAccept: boolean;
};

/** Returns the headers that all variants of an object have. */
export function subjectHeaders(subject: Subject, cdnVariesAccept: boolean): Record<string, string> {
  const { file, name, entry, use, sitePart, isByAccept } = subject;
  const fileName = deliveredName({ ...file, entry }, name);
  const contentType = isProcessed(file) ? contentTypeOf(name) : file.content_type;
  const isPage = sitePart !== null && !isProcessed(file) && IS_PAGE.test(contentType);
  const isHarmless = isProcessed(file) || isPage || !RUNS_IN_BROWSERS.test(contentType);
  const isShown = use !== 'download' && isHarmless;
  return {
    ...SECURITY_HEADERS,
    ...(isPage && PAGE_HEADERS),
    'content-type': contentType,
    ...cacheHeaders(subject, cdnVariesAccept),
    'accept-ranges': 'bytes',
    // Without this header Bun would send the name of the file on our disk.
    'content-disposition': contentDisposition(isShown ? 'inline' : 'attachment', fileName),
    ...(isByAccept && { vary: 'Accept' }),
    ...encodingHeaders(file),
  };
}

/** Returns the coding in which an S3 client has stored the bytes, without which a browser could not read them. */
function encodingHeaders({ headers }: Subject['file']): Record<string, string> {
  const stored: Record<string, string> = headers === null ? {} : JSON.parse(headers);
  const encoding = stored['content-encoding'];
  return encoding === undefined ? {} : { 'content-encoding': encoding };
}

/** Returns the headers by which a path leads to another URL, as long as caches may keep the path. */
export const pathRedirectHeaders = (subject: Pick<Subject, 'file' | 'bucket'>) => ({
  ...SECURITY_HEADERS,
  ...cacheHeaders(
    { ...subject, use: 'inline', isByPath: true, sitePart: null, isByAccept: false },
    false,
  ),
});

type Kept = Pick<Subject, 'file' | 'bucket' | 'use' | 'isByPath' | 'sitePart' | 'isByAccept'>;

function cacheHeaders(subject: Kept, cdnVariesAccept: boolean) {
  // A CDN purges a file or a bucket by its tags. Each CDN reads one of the two headers.
  const tags = `${subject.bucket.id},${subject.file.id}`;
  return {
    'cache-control': cacheControl(subject, cdnVariesAccept),
    'cache-tag': tags,
    'cdn-tag': tags,
  };
}

/**
 * A shared cache that ignores Vary would send an AVIF to a client that cannot show it, so only the client may
 * cache a response that depends on Accept, unless the operator has configured that the CDN supports Vary.
 */
function cacheControl(
  { file, bucket, use, isByPath, sitePart, isByAccept }: Kept,
  cdnVariesAccept: boolean,
): string {
  // A file may come to the path at any time.
  if (sitePart === 'not-found') return 'no-store';
  if (!isPublic(file, bucket)) return 'private, no-store';
  // A failed attempt withdraws what it published early, and the next attempt publishes it again.
  // Caches must ask each time for a file that expires, as they would keep it beyond that.
  if (file.status === 'processing' || file.expires_at !== null) return 'no-cache';
  const isShared = use !== 'preview' && (cdnVariesAccept || !isByAccept);
  const lifetime = isByPath
    ? `max-age=${parseRules(bucket.delivery_rules).path_max_age}`
    : 'max-age=31536000, immutable';
  return `${isShared ? 'public' : 'private'}, ${lifetime}`;
}

/**
 * Responds to the CORS preflight of players on other sites, which send it before a Range request.
 */
export const preflightResponse = () =>
  new Response(null, {
    status: 204,
    headers: {
      ...SECURITY_HEADERS,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers':
        'range, if-range, if-match, if-none-match, if-modified-since, if-unmodified-since',
      'access-control-max-age': '86400',
    },
  });

/** Playlists and cues contain URLs of other objects, which need the token in a private file. */
export const isPlaylist = (name: string): boolean => name.endsWith('.m3u8');
export const isCues = (name: string): boolean => name.endsWith('.vtt');

/** Whether an object is text of the media process, which gzip compresses well, as it repeats the same names. */
export const isText = ({ file, name }: Pick<Subject, 'name'> & { file: { file_type: FileType } }) =>
  isProcessed(file) && (isPlaylist(name) || isCues(name));
