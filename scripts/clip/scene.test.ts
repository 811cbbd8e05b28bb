import { expect, test } from 'bun:test';
import { sharp } from '../../media/image/sharp.ts';
import about from '../../server/web/assets/clip/about.json' with { type: 'json' };
import { nightAt, paletteAt } from './palette.ts';
import { SCENE, scene } from './scene.ts';

const pixels = (seconds: number) =>
  sharp(Buffer.from(scene(seconds)))
    .resize(64, 36)
    .removeAlpha()
    .raw()
    .toBuffer();
const brightness = (bytes: Buffer) => bytes.reduce((sum, value) => sum + value, 0) / bytes.length;

test('each second is a picture of its own, and the same one each time', async () => {
  expect(await pixels(3)).toEqual(await pixels(3));
  expect(await pixels(3)).not.toEqual(await pixels(3.5));
  const { width, height } = await sharp(Buffer.from(scene(0))).metadata();
  expect([width, height]).toEqual([SCENE.width, SCENE.height]);
});

test('it begins and ends by night, with a day between', async () => {
  const [first, middle, last] = await Promise.all(
    [0, SCENE.seconds / 2, SCENE.seconds].map(pixels),
  );
  expect(brightness(first as Buffer)).toBeLessThan(60);
  expect(brightness(middle as Buffer)).toBeGreaterThan(100);
  expect(brightness(last as Buffer)).toBeLessThan(60);
});

test('there are colours for every hour', () => {
  for (const hour of [-1, 0, 0.12, 0.2, 0.5, 0.9, 1, 2]) {
    for (const colour of Object.values(paletteAt(hour))) expect(colour).toMatch(/^#[0-9a-f]{6}$/);
    expect(nightAt(hour)).toBeGreaterThanOrEqual(0);
    expect(nightAt(hour)).toBeLessThanOrEqual(1);
  }
});

test('what is kept is as long as what is drawn', () => {
  expect(about.duration).toBe(SCENE.seconds * 1000);
});
