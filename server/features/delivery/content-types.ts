/** What a delivered name's ending is served as. Nothing else is ever delivered. */
const TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  m3u8: 'application/vnd.apple.mpegurl',
  mp4: 'video/mp4',
  m4s: 'video/iso.segment',
};

/** Null for an ending that nothing of ours has. */
export function contentTypeOf(name: string): string | null {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? null;
}

export const isPlaylist = (name: string): boolean => name.endsWith('.m3u8');
