import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** WCAG 2.2, 1.4.3: text needs this against what it stands on. */
const MIN_CONTRAST = 4.5;
/** The distance in OKLab at which two buttons side by side are seen as of different colours. */
const MIN_DISTANCE = 0.065;
/** WCAG 2.2, 1.4.11: the line of a control needs this against what it stands on. */
const MIN_LINE_CONTRAST = 3;
const PAIRS = [
  ...['base-content', 'quiet', 'primary', 'success', 'error', 'warning', 'info'].flatMap((text) => [
    [text, 'base-100'],
    [text, 'base-200'],
  ]),
  ...['keyword', 'string', 'number', 'name'].flatMap((kind) => [
    [`code-${kind}`, 'base-100'],
    [`code-${kind}`, 'base-200'],
  ]),
  ['base-content', 'base-300'],
  ['base-content', 'field'],
  ['quiet', 'field'],
  ['quiet', 'field-off'],
  ...['primary', 'secondary', 'accent', 'neutral', 'info', 'success', 'warning', 'error'].map(
    (name) => [`${name}-content`, name],
  ),
] as [string, string][];

const css = await Bun.file(join(import.meta.dir, 'themes.css')).text();
const themes = css.split('@plugin').slice(1);

/** Returns the linear red, green and blue of a colour. */
const linear = (hex: string) =>
  [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });

const product = (rows: number[][], vector: number[]) =>
  rows.map((row) => row.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0));

const luminance = (hex: string) => product([[0.2126, 0.7152, 0.0722]], linear(hex))[0] ?? 0;

const TO_LMS = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const TO_LAB = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];

/** Returns how far two colours are from each other in OKLab, where black and white are 1 apart. */
function distance(one: string, other: string): number {
  const [a = [], b = []] = [one, other].map((hex) =>
    product(TO_LAB, product(TO_LMS, linear(hex)).map(Math.cbrt)),
  );
  return Math.hypot(...a.map((value, at) => value - (b[at] ?? 0)));
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test('contrast is measured as WCAG defines it', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(distance('#000000', '#ffffff')).toBeCloseTo(1);
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

  test(`in ${name}, a field is seen by its line, and one that is disabled by its ground`, () => {
    expect(contrast(color('field-edge'), color('field'))).toBeGreaterThanOrEqual(MIN_LINE_CONTRAST);
    expect(color('field-off')).not.toBe(color('field'));
  });

  test(`in ${name}, a button that deletes does not look like one that saves`, () => {
    expect(distance(color('error'), color('primary'))).toBeGreaterThanOrEqual(MIN_DISTANCE);
  });
}
