import { isId } from '../../platform/ids.ts';

/** What a URL below /cdn/ asks for. */
export type DeliveryTarget = {
  bucketId: string;
  fileId: string;
  name: string;
  token: string | null;
  /** With `?download` it is to be saved, not shown. */
  isDownload: boolean;
  /** All else of the query: '' or 'width=100&fit=crop'. */
  parameters: string;
};

/** Names that the media process makes: one folder deep at most, nothing that needs decoding. */
const NAME = /^([a-z0-9][a-z0-9_-]*\/)?[a-z0-9][a-z0-9_-]*\.[a-z0-9]+$/;
const START = '/cdn/';
/** A query that is a token and nothing else, with nothing to decode: nearly all that have one. */
const TOKEN_ONLY = /^\?jwt=([\w.-]+)$/;

/**
 * Where a URL's path begins. Bun gives the bare path where it can make no URL of the Host, which a
 * client of HTTP/1.0 may leave out: there '//' may be anywhere, in the query too.
 */
export const pathStart = (url: string): number =>
  url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);

/**
 * Reads `…/cdn/{bucketID}/{fileID}/{name}?jwt=…&download`; null for any other URL. By hand, as this
 * runs for every delivered byte range and `new URL` alone costs more than the rest of it.
 */
export function parseDeliveryUrl(url: string): DeliveryTarget | null {
  const path = pathStart(url);
  if (!url.startsWith(START, path)) return null;
  const question = url.indexOf('?', path);
  const end = question < 0 ? url.length : question;
  const bucket = path + START.length;
  const file = url.indexOf('/', bucket) + 1;
  const name = file > 0 ? url.indexOf('/', file) + 1 : 0;
  if (file === 0 || name === 0 || name > end) return null;
  const { token, isDownload, parameters } = question < 0 ? NOTHING : wishesOf(url.slice(question));
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

/** Maybe one of our own two, maybe escaped. */
const OURS = /jwt|download|%/;
const NOTHING = { token: null, isDownload: false, parameters: '' };

function wishesOf(text: string): Pick<DeliveryTarget, 'token' | 'isDownload' | 'parameters'> {
  const token = TOKEN_ONLY.exec(text)?.[1];
  if (token !== undefined) return { token, isDownload: false, parameters: '' };
  if (!OURS.test(text)) return { token: null, isDownload: false, parameters: text.slice(1) };
  const query = new URLSearchParams(text);
  const [jwt, isDownload] = [query.get('jwt'), query.has('download')];
  const parameters = othersOf(query, Number(jwt !== null) + Number(isDownload));
  return { token: jwt, isDownload, parameters };
}

/** What is left without our own two, of which `ours` are there. */
function othersOf(query: URLSearchParams, ours: number): string {
  if (query.size === ours) return '';
  query.delete('jwt');
  query.delete('download');
  return query.toString();
}

/** Returns a URL with a token added to its query. */
export const addToken = (url: string, token: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}jwt=${encodeURIComponent(token)}`;
