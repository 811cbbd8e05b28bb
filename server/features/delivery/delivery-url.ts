import { isId } from '../../platform/ids.ts';
import { isPath } from '../files/service.ts';

/** What a URL below /cdn/ requests. */
export type DeliveryTarget = {
  bucketId: string;
  fileId: string;
  name: string;
  token: string | null;
  /** Whether the URL has `?download`, which makes browsers save the file instead of showing it. */
  isDownload: boolean;
  /** The rest of the query, such as '' or 'width=100&fit=crop'. */
  parameters: string;
};

/** The names of the media process have at most one folder, and no characters that a URL escapes. */
const NAME = /^([a-z0-9][a-z0-9_-]*\/)?[a-z0-9][a-z0-9_-]*\.[a-z0-9]+$/;
const PREFIX = '/cdn/';
/** Nearly every query with a token is only that token, without escaped characters. */
const TOKEN_ONLY = /^\?jwt=([\w.-]+)$/;

/**
 * Returns the index at which a URL's path starts. Without a valid Host header, which HTTP/1.0 does
 * not require, Bun gives only the path, in which '//' may be anywhere, also in the query.
 */
export const pathStart = (url: string): number =>
  url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);

/**
 * Parses `…/cdn/{bucketID}/{fileID}/{name}?jwt=…&download`. Returns null for any other URL. It runs
 * for every delivered range, so it does without `new URL`, which takes longer than all the rest.
 */
export function parseDeliveryUrl(url: string): DeliveryTarget | null {
  const path = pathStart(url);
  if (!url.startsWith(PREFIX, path)) return null;
  const question = url.indexOf('?', path);
  const end = question < 0 ? url.length : question;
  const bucket = path + PREFIX.length;
  const file = url.indexOf('/', bucket) + 1;
  const name = file > 0 ? url.indexOf('/', file) + 1 : 0;
  if (file === 0 || name === 0 || name > end) return null;
  const { token, isDownload, parameters } =
    question < 0 ? EMPTY_QUERY : parseQuery(url.slice(question));
  const target = {
    bucketId: url.slice(bucket, file - 1),
    fileId: url.slice(file, name - 1),
    name: url.slice(name, end),
    token,
    isDownload,
    parameters,
  };
  return isId(target.bucketId) && isId(target.fileId) && NAME.test(target.name) ? target : null;
}

/** What a URL requests by a path. */
export type PathTarget = Omit<DeliveryTarget, 'fileId' | 'name'> & { path: string };

/** What stands between the bucket and the path. No id of a file has a tilde. */
const PATH_MARK = '/~/';

/**
 * Parses `…/cdn/{bucketID}/~/{path}?jwt=…&download`. Returns null for any other URL, and for a path that is no
 * well-formed UTF-8. It is decoded once, so `%252F` is the text '%2F'. It may be '' or end in '/', as the folders of a
 * static site.
 */
export function parsePathUrl(url: string): PathTarget | null {
  const start = pathStart(url);
  if (!url.startsWith(PREFIX, start)) return null;
  const question = url.indexOf('?', start);
  const address = url.slice(start + PREFIX.length, question < 0 ? undefined : question);
  const mark = address.indexOf('/');
  const bucketId = address.slice(0, mark);
  if (mark < 0 || !address.startsWith(PATH_MARK, mark) || !isId(bucketId)) return null;
  const path = decoded(address.slice(mark + PATH_MARK.length));
  if (path === null || (path !== '' && !isPath(path))) return null;
  return { bucketId, path, ...(question < 0 ? EMPTY_QUERY : parseQuery(url.slice(question))) };
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** A query without any of these has neither of our two parameters, not even escaped. */
const OWN_PARAMETERS = /jwt|download|%/;
const EMPTY_QUERY = { token: null, isDownload: false, parameters: '' };

function parseQuery(text: string): Pick<DeliveryTarget, 'token' | 'isDownload' | 'parameters'> {
  const token = TOKEN_ONLY.exec(text)?.[1];
  if (token !== undefined) return { token, isDownload: false, parameters: '' };
  if (!OWN_PARAMETERS.test(text))
    return { token: null, isDownload: false, parameters: text.slice(1) };
  const query = new URLSearchParams(text);
  const [jwt, isDownload] = [query.get('jwt'), query.has('download')];
  const parameters = otherParameters(query, Number(jwt !== null) + Number(isDownload));
  return { token: jwt, isDownload, parameters };
}

/** Returns the query without our two parameters, of which it has `ours`. */
function otherParameters(query: URLSearchParams, ours: number): string {
  if (query.size === ours) return '';
  query.delete('jwt');
  query.delete('download');
  return query.toString();
}

/** Returns a URL with a token added to its query. */
export const addToken = (url: string, token: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}jwt=${encodeURIComponent(token)}`;
