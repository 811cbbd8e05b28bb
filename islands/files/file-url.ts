import type { FileWire } from '../../server/contract/wire.ts';

type Shared = Pick<FileWire, 'access' | 'status' | 'url' | 'embed' | 'name' | 'width' | 'height'>;

/** Returns a URL of a file, with a read token if the file is private. */
export function withToken(url: string, access: FileWire['access'], jwt: string): string {
  return access === 'public' ? url : `${url}${url.includes('?') ? '&' : '?'}jwt=${jwt}`;
}

/**
 * Returns the URL to share a file with, which for a private file has the bucket's read token. Returns
 * null unless the file is ready.
 */
export function shareUrl(file: Pick<Shared, 'access' | 'status' | 'url'>, jwt: string) {
  if (file.status !== 'success' || file.url === null) return null;
  return withToken(file.url, file.access, jwt);
}

/** Returns the URL of a video's player or of an image. Returns null unless the file is ready. */
export function viewUrl(file: Pick<Shared, 'access' | 'status' | 'url' | 'embed'>, jwt: string) {
  return shareUrl({ ...file, url: file.embed ?? file.url }, jwt);
}

const EMBED_WIDTH = 640;

/** Returns HTML that embeds a video in a page at full width. Returns null unless the file is ready. */
export function embedSnippet(file: Shared, jwt: string): string | null {
  const url = file.embed && viewUrl(file, jwt);
  if (!url) return null;
  const { width, height } = { width: file.width ?? 16, height: file.height ?? 9 };
  const attributes = {
    src: url,
    title: file.name,
    width: String(EMBED_WIDTH),
    height: String(Math.round((EMBED_WIDTH * height) / width)),
    style: `border: 0; max-width: 100%; height: auto; aspect-ratio: ${width} / ${height}`,
    loading: 'lazy',
    allow: 'autoplay; fullscreen; picture-in-picture',
  };
  const written = Object.entries(attributes).map(
    ([name, value]) => `${name}="${escapeAttribute(value)}"`,
  );
  return `<iframe ${written.join(' ')} allowfullscreen></iframe>`;
}

/** Escapes an attribute, as a file's name may contain any character. */
const escapeAttribute = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
