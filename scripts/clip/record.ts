import { sharp } from '../../media/image/sharp.ts';
import { SCENE, scene } from './scene.ts';
import { SOUND_GRAPH } from './sound.ts';

/** Near enough to lossless that our own encoder has all of the picture to work on. */
const CRF = '6';

const draw = (seconds: number) => sharp(Buffer.from(scene(seconds)));

/** The picture that stands for the clip, as somebody would upload it: PNG. */
export const drawThumbnail = (path: string, seconds: number) => draw(seconds).png().toFile(path);

/** Draws the clip and writes it with its sound to `path`, an MP4. Throws with ffmpeg's words. */
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
    // Until ffmpeg has taken it: an uncompressed minute would be gigabytes.
    await child.stdin.flush();
  }
  await child.stdin.end();
  const complaint = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`ffmpeg failed:\n${complaint}`);
}
