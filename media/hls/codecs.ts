import { permanentFailure } from '../media-failure.ts';

/**
 * The RFC 6381 name of what an init section made by us declares: `avc1.PPCCLL` from its avcC box
 * (ISO/IEC 14496-15, 5.3.3.1: version, profile, compatibility, level) or `mp4a.40.2` (AAC-LC).
 */
export function codecOf(init: Uint8Array): string {
  const bytes = Buffer.from(init.buffer, init.byteOffset, init.byteLength);
  const box = bytes.indexOf('avcC', 0, 'latin1');
  if (box >= 0 && box + 8 <= bytes.length) return `avc1.${bytes.toString('hex', box + 5, box + 8)}`;
  if (bytes.includes('mp4a', 0, 'latin1')) return 'mp4a.40.2';
  throw permanentFailure('The video could not be encoded.');
}
