import { measurePhotos } from './photos.ts';
import { measureVideo } from './video.ts';

/** Prints what processing costs, as ratios to the tools it is made of. */
export async function reportMedia({ isQuick }: { isQuick: boolean }): Promise<void> {
  const seconds = isQuick ? 15 : 60;
  const photos = await measurePhotos(isQuick ? 20 : 100);
  console.log(`photos        ${photos.count} of 12 megapixels to WebP`);
  line('bare sharp', `${photos.bare.toFixed(1)} s`);
  line('ours', `${photos.ours.toFixed(1)} s, ${(photos.bare / photos.ours).toFixed(2)} as fast`);
  line('memory', `${photos.memory.toFixed(0)} MiB at most`);

  const { cpu, playable, whole } = await measureVideo(seconds);
  const against = (peer: number) => `${peer.toFixed(1)} s, ratio ${(cpu.job / peer).toFixed(2)}`;
  console.log(`\nvideo         five sizes of ${seconds} s in 1080p, processor time`);
  line('ours', `${cpu.job.toFixed(1)} s`);
  line('one each', against(cpu.perRendition));
  line('our commands', against(cpu.bare));
  const share = (playable / whole).toFixed(2);
  line('playable', `after ${playable.toFixed(1)} s of ${whole.toFixed(1)} s, ratio ${share}`);
}

const line = (name: string, text: string) => console.log(`  ${name.padEnd(14)}${text}`);
