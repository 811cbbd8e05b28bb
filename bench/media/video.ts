import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodingRate } from '../../media/hls/frame-rate.ts';
import { type Encode, hlsArguments } from '../../media/hls/hls-arguments.ts';
import { renditionSizes } from '../../media/hls/renditions.ts';
import { createEncodingRuns } from '../../media/video/encode.ts';
import { probeVideo } from '../../media/video/probe.ts';
import { parseSize } from '../../server/contract/resolutions.ts';
import { measureQuality, type Quality } from './quality.ts';
import { run } from './run-command.ts';

export const LADDER = ['1920x1080', '1280x720', '854x480', '640x360', '426x240'];

export type VideoFigures = {
  /** Seconds of CPU time, user and system, of all processes. */
  cpu: { job: number; perRendition: number; withoutPipeline: number };
  /** Seconds from the start of the job. */
  playable: number;
  full: number;
  quality: Quality;
};

/**
 * Measures all sizes of a generated 1080p clip: encoded by a job of the media process, by one ffmpeg per
 * size, and by the job's two ffmpeg commands alone.
 */
export async function measureVideo(seconds: number): Promise<VideoFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  try {
    // Tools may run as another user.
    await chmod(folder, 0o755);
    const source = join(folder, 'objects/up/clip');
    await mkdir(join(folder, 'objects/up'), { recursive: true });
    makeClip(source, seconds);
    const encode = await plan(source, folder);
    const runs = createEncodingRuns(encode.sizes);
    const job = runJobInProcess(folder);
    const perRendition = await cpuOf(
      folder,
      source,
      encode,
      encode.sizes.map((size) => [size]),
    );
    const withoutPipeline = await cpuOf(folder, source, encode, runs);
    const quality = await measureQuality(folder, source, encode);
    return {
      cpu: { job: job.cpu, perRendition, withoutPipeline },
      playable: job.playable,
      full: job.full,
      quality,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Makes moving shapes with a grain that changes with each frame, like that of a camera. */
function makeClip(path: string, seconds: number): void {
  const picture = `testsrc2=size=1920x1080:rate=30:duration=${seconds},noise=alls=6:allf=t`;
  run('/', [
    ...['ffmpeg', '-nostdin', '-v', 'error', '-f', 'lavfi', '-i', picture],
    ...['-f', 'lavfi', '-i', `sine=duration=${seconds}`, '-pix_fmt', 'yuv420p'],
    ...['-preset', 'ultrafast', '-crf', '20', '-f', 'mp4', path],
  ]);
}

async function plan(source: string, cwd: string): Promise<Encode> {
  const { signal } = new AbortController();
  const probe = await probeVideo(source, { ffprobe: 'ffprobe', cwd, signal });
  const sizes = renditionSizes(
    probe,
    LADDER.flatMap((text) => parseSize(text) ?? []),
  );
  const rate = encodingRate(probe.meanRate, probe.baseRate);
  return {
    ...probe,
    source,
    sizes,
    rate,
    decoder: [],
    filters: [],
    hasZscale: false,
    canDropPackets: true,
    threads: availableParallelism(),
    stillSeconds: 0,
    soundSeconds: 0,
  };
}

/** Each measurement encodes the sound once, so that only the pictures differ. */
async function cpuOf(folder: string, source: string, encode: Encode, runs: Encode['sizes'][]) {
  let cpu = 0;
  for (const [index, sizes] of runs.entries()) {
    const cwd = await mkdtemp(join(folder, 'bare-'));
    const audioIndex = index === 0 ? encode.audioIndex : null;
    cpu += run(cwd, ['ffmpeg', ...hlsArguments({ ...encode, source, sizes, audioIndex })]).cpu;
    await rm(cwd, { recursive: true });
  }
  return cpu;
}

/** Runs the job in another process, whose CPU time includes that of the tools it waited for. */
function runJobInProcess(folder: string) {
  const script = join(import.meta.dir, 'video-job.ts');
  const { cpu, stdout } = run('/', [process.execPath, script, folder, LADDER.join(',')]);
  const { playable, full } = JSON.parse(stdout);
  return { cpu, playable: Number(playable), full: Number(full) };
}
