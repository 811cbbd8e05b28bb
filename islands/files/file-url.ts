import type { FileWire } from '../../server/contract/wire.ts';

type Shared = Pick<FileWire, 'access' | 'status' | 'url' | 'embed' | 'name' | 'width' | 'height'>;

/** A URL of a file, with a read token where the file is private. */
export function withToken(url: string, access: FileWire['access'], jwt: string): string {
  return access === 'public' ? url : `${url}${url.includes('?') ? '&' : '?'}jwt=${jwt}`;
}

/**
 * The URL to hand out for a file: a private one carries the bucket's read token. Null unless the
 * file is done.
 */
export function shareUrl(file: Pick<Shared, 'access' | 'status' | 'url'>, jwt: string) {
  if (file.status !== 'success' || file.url === null) return null;
  return withToken(file.url, file.access, jwt);
}

/** What shows a file to a person: a video's player, an image itself. Null unless it is done. */
export function viewUrl(file: Pick<Shared, 'access' | 'status' | 'url' | 'embed'>, jwt: string) {
  return shareUrl({ ...file, url: file.embed ?? file.url }, jwt);
}

const WIDTH = 640;

/** HTML that plays a video on any page, as large as there is room. Null unless it is done. */
export function embedSnippet(file: Shared, jwt: string): string | null {
  const url = file.embed && viewUrl(file, jwt);
  if (!url) return null;
  const { width, height } = { width: file.width ?? 16, height: file.height ?? 9 };
  const attributes = {
    src: url,
    title: file.name,
    width: String(WIDTH),
    height: String(Math.round((WIDTH * height) / width)),
    style: `border: 0; max-width: 100%; height: auto; aspect-ratio: ${width} / ${height}`,
    loading: 'lazy',
    allow: 'autoplay; fullscreen; picture-in-picture',
  };
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${quoted(value)}"`);
  return `<iframe ${written.join(' ')} allowfullscreen></iframe>`;
}

/** A file's name may hold anything. */
const quoted = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
