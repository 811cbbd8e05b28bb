import type { Region } from '../../../contract/regions.ts';
import type { Access, FileType } from '../../../contract/wire.ts';
import { contentDisposition, deliveredName } from './content-disposition.ts';
import { contentTypeOf } from './content-types.ts';

const CACHE: Record<Access, string> = {
  public: 'public, max-age=31536000, immutable',
  private: 'private, no-store',
};

/**
 * Of every answer, refusals too. Nothing uploaded may ever act as a page of this origin, wherever
 * it is opened: an SVG runs no script, loads nothing and reads no storage. Pages of other sites
 * may show, read and time what is public; what is private they need the token for.
 */
export const SAFETY = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'accept-ranges, content-disposition, content-length, content-range, etag, retry-after, x-error-code',
  'timing-allow-origin': '*',
};

/** What the headers of an object's answer tell of its file. */
export type Subject = {
  file: {
    id: string;
    bucket_id: string;
    region: Region | null;
    name: string;
    file_type: FileType;
    access: Access;
    entry: string | null;
  };
  /** The object's name below the file. */
  name: string;
};

/** What all forms of an object have in common. */
export function subjectHeaders({ file, name }: Subject) {
  // A CDN purges a file or a bucket by these; each of them reads one of the two.
  const tags = `${file.bucket_id},${file.id}`;
  return {
    ...SAFETY,
    'content-type': contentTypeOf(name),
    'cache-control': CACHE[file.access],
    'accept-ranges': 'bytes',
    // Without it Bun would put the name on our disk here.
    'content-disposition': contentDisposition('inline', deliveredName(file, name)),
    'cache-tag': tags,
    'cdn-tag': tags,
  };
}

/** For players on other sites, which ask before they send a Range. */
export const answerPreflight = () =>
  new Response(null, {
    status: 204,
    headers: {
      ...SAFETY,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers':
        'range, if-range, if-match, if-none-match, if-modified-since, if-unmodified-since',
      'access-control-max-age': '86400',
    },
  });
