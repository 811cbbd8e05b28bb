import { refused } from './failure.ts';

/**
 * The RFC 6381 names of what an init segment made by us declares: `avc1.PPCCLL` from its avcC box
 * (ISO/IEC 14496-15, 5.3.3.1: version, profile, compatibility, level) and `mp4a.40.2` (AAC-LC)
 * where it has a sound track.
 */
export function codecsOf(init: Uint8Array): string[] {
  const bytes = Buffer.from(init.buffer, init.byteOffset, init.byteLength);
  const box = bytes.indexOf('avcC', 0, 'latin1');
  if (box < 0 || box + 8 > bytes.length) throw refused('The video could not be encoded.');
  const video = `avc1.${bytes.toString('hex', box + 5, box + 8)}`;
  return bytes.includes('mp4a', 0, 'latin1') ? [video, 'mp4a.40.2'] : [video];
}
