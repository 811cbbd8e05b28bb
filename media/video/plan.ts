import { SECOND } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import { encodingRate, type FrameRate, rateValue } from '../hls/frame-rate.ts';
import { renditionSizes } from '../hls/renditions.ts';
import { isHdr } from '../image/colour.ts';
import { toolMemory } from '../sandbox/confine.ts';
import { canDropPackets, hasFilter } from '../sandbox/ffmpeg.ts';
import { findCompositing } from './alpha.ts';
import { createEncodingRuns } from './encode.ts';
import { findDeinterlacing } from './interlacing.ts';
import { checkVideoMemory } from './memory.ts';
import { type Probe, probeVideo } from './probe.ts';
import type { VideoWork } from './video.ts';
import { checkVideoWork } from './workload.ts';

/** How a video is encoded. */
export type VideoPlan = {
  probe: Probe;
  /** All sizes, largest first. */
  sizes: Size[];
  /** The largest size. */
  size: Size;
  rate: FrameRate;
  /** Options that select the decoder of the picture. */
  decoder: string[];
  /** Filters that make whole pictures of what the decoder returns. */
  filters: string[];
  hasZscale: boolean;
  canDropPackets: boolean;
};

type Planning = Pick<
  VideoWork,
  'source' | 'folder' | 'tools' | 'signal' | 'resolutions' | 'isBackground'
>;

/** Returns how to encode a video. Throws MediaFailure for what can't be encoded here. */
export async function planVideo(work: Planning): Promise<VideoPlan> {
  const { source, folder, tools, signal, resolutions, isBackground } = work;
  const probe = await probeVideo(source, { ffprobe: tools.ffprobe, cwd: folder, signal });
  const sizes = renditionSizes(probe, resolutions);
  const { width, height } = sizes[0] ?? probe;
  const declared = { source: probe, sizes, durationMs: probe.durationMs };
  const declaredRate = encodingRate(probe.meanRate, probe.baseRate, probe.isInterlaced ?? false);
  for (const run of createEncodingRuns(sizes)) {
    checkVideoMemory({ source: probe, sizes: run }, toolMemory());
  }
  checkVideoWork({ ...declared, rate: declaredRate }, isBackground);
  const sampling = { source, folder, ffmpeg: tools.ffmpeg, isBackground, signal };
  const { filters: deinterlacing, isInterlaced } = await findDeinterlacing(probe, sampling);
  const rate = encodingRate(probe.meanRate, probe.baseRate, isInterlaced);
  const { decoder, filters: compositing } = await findCompositing(probe, tools.ffmpeg);
  const filters = [...compositing, ...deinterlacing, ...lasting(probe, rate)];
  const hasZscale = isHdr(probe.colours) && (await hasFilter(tools.ffmpeg, 'zscale'));
  const dropping = probe.audioIndex !== null && (await canDropPackets(tools.ffmpeg));
  const size = { width, height };
  return { probe, sizes, size, rate, decoder, filters, hasZscale, canDropPackets: dropping };
}

/** One frame gets a second one, because the muxer measures how long a frame lasts by the next one. */
function lasting({ durationMs }: Probe, rate: FrameRate): string[] {
  const frames = (durationMs / SECOND) * rateValue(rate);
  if (frames >= 1.5) return [];
  return [`fps=${rate.frames}/${rate.seconds}:start_time=0`, 'tpad=stop_mode=clone:stop=1'];
}
