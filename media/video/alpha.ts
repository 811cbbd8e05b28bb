import { hasDecoder } from '../sandbox/ffmpeg.ts';
import type { Probe } from './probe.ts';

/** ffmpeg's own decoders of these ignore the second picture, which WebM stores transparency in. */
const ALPHA_DECODERS: Record<string, string> = { vp8: 'libvpx', vp9: 'libvpx-vp9' };
const WITH_ALPHA = /^(yuva|gbrap|rgba|bgra|argb|abgr|ya\d)/;

/** Multiplying by the transparency is the same as compositing over black. */
const OVER_BLACK = [
  'format=yuva420p|yuva422p|yuva444p|yuva422p10le|yuva444p10le|yuva444p12le|gbrap|gbrap16le',
  'premultiply=inplace=1',
];

export type Compositing = {
  /** Options of the input. */
  decoder: string[];
  filters: string[];
};

/**
 * Returns what puts a transparent video over black, as players and pages show most videos. Otherwise the
 * colours of its invisible parts appear, which are whatever a program has left there.
 */
export async function findCompositing(probe: Probe, ffmpeg: string): Promise<Compositing> {
  if (WITH_ALPHA.test(probe.pixelFormat)) return { decoder: [], filters: OVER_BLACK };
  const name = probe.hasAlphaTrack && ALPHA_DECODERS[probe.videoCodec];
  if (!name || !(await hasDecoder(ffmpeg, name))) return { decoder: [], filters: [] };
  return { decoder: [`-c:${probe.videoIndex}`, name], filters: OVER_BLACK };
}
