import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { sharp } from '../image/sharp.ts';
import { ffmpeg, scratch } from '../testing/clips.ts';
import { encodeHere } from '../testing/encode-here.ts';

const folder = scratch();
afterAll(folder.remove);
const at = (name: string) => join(folder.path, name);

const RED = 'color=red:s=64x36:r=25:d=1';

/** Writes a video that is red everywhere and invisible in its left half. */
async function makeTransparent(name: string, more: string[]): Promise<string> {
  const invisible = "geq=lum='p(X,Y)':cb='p(X,Y)':cr='p(X,Y)':a='if(lt(X,32),0,255)'";
  const picture = ['-vf', `format=yuva444p,${invisible}`];
  await ffmpeg('-f', 'lavfi', '-i', RED, ...picture, ...more, at(name));
  return at(name);
}

/** Returns the red of a pixel at the left and at the right of a picture. */
async function redsOf(picture: string): Promise<number[]> {
  const pixels = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = pixels.info;
  const middle = Math.floor(height / 2) * width;
  return [8, width - 8].map((x) => pixels.data[(middle + x) * channels] ?? -1);
}

test.each([
  ['vp8.webm', ['-c:v', 'libvpx', '-pix_fmt', 'yuva420p', '-auto-alt-ref', '0']],
  ['vp9.webm', ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuva420p']],
  ['prores.mov', ['-c:v', 'prores_ks', '-profile:v', '4444', '-pix_fmt', 'yuva444p10le']],
  ['animation.mov', ['-c:v', 'qtrle', '-pix_fmt', 'argb']],
  ['png.mov', ['-c:v', 'png', '-pix_fmt', 'rgba']],
])('the invisible parts of %s are black', async (name, more) => {
  const { out, entry } = await encodeHere(await makeTransparent(name, more));
  const frame = at(`${name}.png`);
  await ffmpeg('-i', join(out, entry), '-frames:v', '1', frame);
  for (const picture of [frame, join(out, 'poster.webp')]) {
    const [left = 255, right = 0] = await redsOf(picture);
    expect(left).toBeLessThan(20);
    expect(right).toBeGreaterThan(220);
  }
});

test('a video of one frame is a video, with and without a declared duration', async () => {
  for (const name of ['one.mp4', 'one.webm', 'one.mkv']) {
    const source = at(name);
    const live = name === 'one.webm' ? ['-c:v', 'libvpx', '-live', '1'] : [];
    await ffmpeg('-f', 'lavfi', '-i', RED, '-frames:v', '1', ...live, source);
    const { duration } = await encodeHere(source);
    expect(duration).toBeGreaterThan(20);
    expect(duration).toBeLessThan(100);
  }
});
