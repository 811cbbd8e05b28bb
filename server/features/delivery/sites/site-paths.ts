import { pathStart } from '../delivery-url.ts';

const INDEX = 'index.html';
/** The page of a site for paths at which there is no file. */
export const NOT_FOUND_PAGE = '404.html';

/** What a file is to the static site of its bucket. */
export type SitePart = 'page' | 'folder' | 'not-found';

/** Whether a path names a folder of a site, or its top. */
export const isFolderPath = (path: string): boolean => path === '' || path.endsWith('/');

/** Returns the path of the page that a site shows for a folder. */
export const indexPath = (path: string): string =>
  isFolderPath(path) ? path + INDEX : `${path}/${INDEX}`;

/**
 * Returns where a folder is whose URL lacks the slash at its end, which the links of its page need. It is relative, so
 * that it is right behind a CDN with other paths too, and not read as a scheme where the name has a colon.
 */
export function folderLocation(url: string): string {
  const start = pathStart(url);
  const question = url.indexOf('?', start);
  const path = url.slice(start, question < 0 ? undefined : question);
  return `./${path.slice(path.lastIndexOf('/') + 1)}/`;
}
