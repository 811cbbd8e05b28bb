import type { PartOptions } from '../targets.ts';
import { measurePhotos } from './photos.ts';
import { measureVideo } from './video.ts';

/** Prints the cost of processing, as ratios to the tools that it uses. */
export async function reportMedia({ isQuick, judge }: PartOptions): Promise<void> {
  const seconds = isQuick ? 15 : 60;
  const photos = await measurePhotos(isQuick ? 20 : 100);
  console.log(`photos        ${photos.count} of 12 megapixels to WebP`);
  line('bare sharp', `${photos.plainMs.toFixed(1)} s`);
  const speed = photos.plainMs / photos.ours;
  const fast = `${speed.toFixed(2)} as fast, ${judge(speed, { atLeast: 0.8 })}`;
  line('ours', `${photos.ours.toFixed(1)} s, ${fast}`);
  line(
    'memory',
    `${photos.memory.toFixed(0)} MiB at most, ${judge(photos.memory, { atMost: 350 })}`,
  );

  const { cpu, playable, full, quality } = await measureVideo(seconds);
  const ratio = (one: number, other: number, atMost: number) =>
    `ratio ${(one / other).toFixed(2)}, ${judge(one / other, { atMost })}`;
  const against = (peer: number, atMost: number) =>
    `${peer.toFixed(1)} s, ${ratio(cpu.job, peer, atMost)}`;
  console.log(`\nvideo         five sizes of ${seconds} s in 1080p, processor time`);
  line('ours', `${cpu.job.toFixed(1)} s`);
  line('one each', against(cpu.perRendition, 0.9));
  line('our commands', against(cpu.withoutPipeline, 1.05));
  const share = ratio(playable, full, 0.3);
  const kbits = (quality.bytes * 8) / seconds / 1000;
  line(
    'quality',
    `${quality.metric} ${quality.score.toFixed(1)} of 1080p at ${kbits.toFixed(0)} kbit/s`,
  );
  line('playable', `after ${playable.toFixed(1)} s of ${full.toFixed(1)} s, ${share}`);
}

const line = (name: string, text: string) => console.log(`  ${name.padEnd(14)}${text}`);
