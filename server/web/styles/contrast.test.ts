import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** WCAG 2.2, 1.4.3: text needs this against what it stands on. */
const MIN_CONTRAST = 4.5;
const PAIRS = [
  ...['base-content', 'quiet', 'primary', 'success', 'error', 'warning', 'info'].flatMap((text) => [
    [text, 'base-100'],
    [text, 'base-200'],
  ]),
  ['base-content', 'base-300'],
  ...['primary', 'secondary', 'accent', 'neutral', 'info', 'success', 'warning', 'error'].map(
    (name) => [`${name}-content`, name],
  ),
] as [string, string][];

const css = await Bun.file(join(import.meta.dir, 'themes.css')).text();
const themes = css.split('@plugin').slice(1);

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test('contrast is measured as WCAG defines it', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});

test('there are two themes', () => {
  expect(themes).toHaveLength(2);
});

for (const theme of themes) {
  const name = /name: '(.+?)'/.exec(theme)?.[1];
  const color = (token: string) =>
    new RegExp(`--(?:color-)?${token}: (#[0-9a-f]{6});`).exec(theme)?.[1] ?? `no ${token}`;

  test.each(PAIRS)(`in ${name}, %s on %s can be read`, (text, ground) => {
    expect(contrast(color(text), color(ground))).toBeGreaterThanOrEqual(MIN_CONTRAST);
  });
}
