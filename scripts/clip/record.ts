import { sharp } from '../../media/image/sharp.ts';
import { SCENE, scene } from './scene.ts';

/** Nearly lossless, so that our own encoder gets the whole picture. */
const CRF = '6';

const draw = (seconds: number) => sharp(Buffer.from(scene(seconds)));

/** Writes the picture that is uploaded as thumbnail, a PNG. */
export const drawThumbnail = (path: string, seconds: number) => draw(seconds).png().toFile(path);

/** Draws the clip and writes it with its sound as an MP4 to `path`. Throws with ffmpeg's message. */
export async function record(path: string, ffmpeg: string): Promise<void> {
  const { width, height, seconds, framesPerSecond } = SCENE;
  const child = Bun.spawn(
    [
      ...[ffmpeg, '-hide_banner', '-loglevel', 'error', '-y'],
      ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`],
      ...['-r', String(framesPerSecond), '-i', 'pipe:0', '-filter_complex', SOUND_GRAPH],
      ...['-map', '0:v', '-map', '[sound]', '-c:v', 'libx264', '-crf', CRF, '-pix_fmt', 'yuv420p'],
      ...['-vf', 'scale=out_color_matrix=bt709:out_range=tv', '-colorspace', 'bt709'],
      ...['-color_primaries', 'bt709', '-color_trc', 'bt709', '-c:a', 'aac', '-b:a', '192k', path],
    ],
    { stdin: 'pipe', stdout: 'ignore', stderr: 'pipe' },
  );
  for (let frame = 0; frame < seconds * framesPerSecond; frame += 1) {
    const picture = await draw(frame / framesPerSecond)
      .removeAlpha()
      .raw()
      .toBuffer();
    child.stdin.write(picture);
    // This waits until ffmpeg has read the frame: an uncompressed minute would be gigabytes.
    await child.stdin.flush();
  }
  await child.stdin.end();
  const complaint = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`ffmpeg failed:\n${complaint}`);
}

const sine = (hertz: number, loud: number) => `${loud}*sin(2*PI*${hertz}*t)`;
/** Returns silence with a tone that swells and fades between two seconds. */
const during = (from: number, to: number, tone: string) =>
  `if(between(t,${from},${to}),min(1,min((t-${from})*6,(${to}-t)*3))*(${tone}),0)`;

/** The ship's horn. */
const HORN = during(4, 6, [sine(98, 0.2), sine(147, 0.12), sine(196, 0.06)].join('+'));
/** The buoy's bell, which rings every four seconds and fades. */
const BELL = `exp(-2.6*mod(t+2.8,4))*(${[sine(784, 0.07), sine(1571, 0.03), sine(2360, 0.012)].join('+')})`;

const SECONDS = `sample_rate=48000:duration=${SCENE.seconds}`;

/** The filter graph of the sound: waves, a bell and a horn, with the output [sound]. */
const SOUND_GRAPH = [
  `anoisesrc=color=brown:amplitude=0.5:seed=7:${SECONDS},lowpass=f=520,tremolo=f=0.2:d=0.6,volume=0.55,aformat=channel_layouts=stereo[waves]`,
  `aevalsrc=exprs='${BELL}+0.8*${HORN}|0.7*${BELL}+${HORN}':channel_layout=stereo:${SECONDS}[signals]`,
  '[waves][signals]amix=inputs=2:normalize=0:duration=first[sound]',
].join(';');
