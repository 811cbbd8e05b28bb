/** What a delivered name's ending is served as. */
const TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  m3u8: 'application/vnd.apple.mpegurl',
  mp4: 'video/mp4',
  m4s: 'video/iso.segment',
  vtt: 'text/vtt; charset=utf-8',
};

/** Never what a browser would run: an ending that nothing of ours has is bytes. */
export function contentTypeOf(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

/** Playlists and cues name other objects, which a private file's need the token on. */
export const isPlaylist = (name: string): boolean => name.endsWith('.m3u8');
export const isCues = (name: string): boolean => name.endsWith('.vtt');

/** What packs to a fraction: names over and over. */
export const isText = (name: string): boolean => isPlaylist(name) || isCues(name);
