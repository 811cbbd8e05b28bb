import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Encode, hlsArguments, videoTrack } from '../../media/hls/hls-arguments.ts';
import { hasFilter } from '../../media/sandbox/ffmpeg.ts';
import { run } from './run-command.ts';

/** How near the largest size comes to its source, and what it takes. */
export type Quality = { metric: 'VMAF' | 'SSIM'; score: number; bytes: number };

/** Measures VMAF, or SSIM in decibels where this ffmpeg can't measure VMAF. */
export async function measureQuality(
  folder: string,
  source: string,
  encode: Encode,
): Promise<Quality> {
  const cwd = await mkdtemp(join(folder, 'quality-'));
  const sizes = encode.sizes.slice(0, 1);
  const [size] = sizes;
  if (!size) throw new Error('There is no size to measure.');
  run(cwd, ['ffmpeg', ...hlsArguments({ ...encode, source, sizes, audioIndex: null })]);
  const track = join(cwd, videoTrack(size));
  const metric = (await hasFilter('ffmpeg', 'libvmaf')) ? 'VMAF' : 'SSIM';
  const filter = metric === 'VMAF' ? 'libvmaf' : 'ssim';
  const { stderr } = run(cwd, [
    ...['ffmpeg', '-nostdin', '-hide_banner', '-i', track, '-i', source],
    ...['-lavfi', `[0:v][1:v]${filter}`, '-f', 'null', '-'],
  ]);
  const score = Number(
    /VMAF score: ([\d.]+)|All:[\d.]+ \(([\d.]+)\)/.exec(stderr)?.slice(1).find(Boolean),
  );
  const bytes = Bun.file(track).size;
  await rm(cwd, { recursive: true });
  return { metric, score, bytes };
}
