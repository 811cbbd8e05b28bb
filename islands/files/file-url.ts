import type { FileWire } from '../../server/contract/wire.ts';

/**
 * The URL to hand out for a file: a private one carries the bucket's read token. Null unless the
 * file is done.
 */
export function shareUrl(file: Pick<FileWire, 'access' | 'status' | 'url'>, jwt: string) {
  if (file.status !== 'success' || file.url === null) return null;
  if (file.access === 'public') return file.url;
  return `${file.url}${file.url.includes('?') ? '&' : '?'}jwt=${jwt}`;
}
