import { SECOND } from '../../server/contract/limits.ts';
import type { FileWire } from '../../server/contract/wire.ts';

type Shared = Pick<
  FileWire,
  'file_type' | 'access' | 'status' | 'url' | 'embed' | 'name' | 'width' | 'height'
>;

/**
 * Returns a URL of a file, with a read token if the file is private. A server that does not know its address
 * lists URLs that are relative to the page's.
 */
export function withToken(url: string, access: FileWire['access'], jwt: string): string {
  const origin = url.startsWith('/') ? globalThis.location?.origin : undefined;
  const full = `${origin ?? ''}${url}`;
  return access === 'public' ? full : `${full}${url.includes('?') ? '&' : '?'}jwt=${jwt}`;
}

/** Returns when a token expires. The server has signed it, so only its claims are read. */
export function expiryOf(jwt: string): Date {
  const claims = (jwt.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  return new Date(JSON.parse(atob(claims)).exp * SECOND);
}

/**
 * Returns the URL to share a file with, which for a private file has a read token. Returns null unless
 * the file is ready.
 */
export function shareUrl(file: Pick<Shared, 'access' | 'status' | 'url'>, jwt: string) {
  if (file.status !== 'success' || file.url === null) return null;
  return withToken(file.url, file.access, jwt);
}

/** Returns the URL of a video's player, or of any other file itself. Returns null unless the file is ready. */
export function viewUrl(file: Pick<Shared, 'access' | 'status' | 'url' | 'embed'>, jwt: string) {
  return shareUrl({ ...file, url: file.embed ?? file.url }, jwt);
}

const EMBED_WIDTH = 640;

/** Returns the URL from which a browser saves a file. Returns null for videos, and unless it is ready. */
export function downloadUrl(file: Shared, jwt: string): string | null {
  if (file.embed !== null || file.url === null) return null;
  return shareUrl({ ...file, url: `${file.url}?download` }, jwt);
}

/** Returns HTML that shows a file in a page: an image, or the player of a video at full width. Null for others. */
export function embedSnippet(file: Shared, jwt: string): string | null {
  const url = viewUrl(file, jwt);
  if (!url || file.file_type === 'audio' || file.file_type === 'file') return null;
  return file.embed ? playerFrame(file, url) : picture(file, url);
}

function picture({ name, width, height }: Shared, src: string): string {
  const size: Record<string, string> =
    width && height ? { width: String(width), height: String(height) } : {};
  return `<img ${written({ src, alt: name.replace(/\.[^.]*$/, ''), ...size, loading: 'lazy' })}>`;
}

function playerFrame(file: Shared, url: string): string {
  const { width, height } = { width: file.width ?? 16, height: file.height ?? 9 };
  const attributes = {
    src: url,
    title: file.name,
    width: String(EMBED_WIDTH),
    height: String(Math.round((EMBED_WIDTH * height) / width)),
    style: `border: 0; max-width: 100%; height: auto; aspect-ratio: ${width} / ${height}`,
    loading: 'lazy',
    // Browsers warn where 'fullscreen' stands beside allowfullscreen, which more of them know.
    allow: 'autoplay; picture-in-picture',
  };
  return `<iframe ${written(attributes)} allowfullscreen></iframe>`;
}

const written = (attributes: Record<string, string>) =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeAttribute(value)}"`)
    .join(' ');

/** Escapes an attribute, as a file's name may contain any character. */
const escapeAttribute = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
