/** The colours of the harbour at one hour. */
export type Palette = Record<(typeof NAMES)[number], string>;

const NAMES = [
  'sky',
  'skyLow',
  'glow',
  'hillFar',
  'hillNear',
  'water',
  'waterLow',
  'glint',
  'hull',
  'steel',
  'quay',
] as const;

const NIGHT =
  '#0c131d #13202f #1a2c3f #132130 #0e1823 #101c29 #0d1722 #22394e #1b2836 #26364a #0a1119';
const DAWN =
  '#2b3655 #6d4f6b #f58e6a #4c3f5b #332f47 #443f5f #39365a #f0a184 #2a2a40 #42405c #1d1e2e';
const DAY =
  '#5fa3cc #93c6de #d9ebe9 #7ba5b5 #4d7c8b #3f8199 #2f6a83 #8fc9d3 #23475a #4a6b7a #22343f';
const DUSK =
  '#33305a #9b4860 #ff8350 #60395b #382845 #57365c #3f2b4e #ffa06e #2c2440 #4b3c58 #1c1829';
const FIRST: [number, string] = [0.12, NIGHT];
const HOURS: [number, string][] = [
  FIRST,
  [0.2, DAWN],
  [0.29, DAY],
  [0.64, DAY],
  [0.78, DUSK],
  [0.9, NIGHT],
];

const channels = (colour: string) =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

function mix(from: string, to: string, part: number): string {
  const [a, b] = [channels(from), channels(to)];
  const mixed = a.map((value, index) => Math.round(value + ((b[index] ?? 0) - value) * part));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the colours of an hour, from 0 to 1 between one midnight and the next. */
export function paletteAt(hour: number): Palette {
  const later = HOURS.findIndex(([at]) => at > hour);
  const next = later === -1 ? HOURS.length - 1 : later;
  const [start, from] = HOURS[Math.max(0, next - 1)] ?? FIRST;
  const [end, to] = HOURS[next] ?? FIRST;
  const part = end === start ? 0 : Math.min(1, Math.max(0, (hour - start) / (end - start)));
  const [a, b] = [from.split(' '), to.split(' ')];
  const mixed = NAMES.map((name, index) => [name, mix(a[index] ?? '', b[index] ?? '', part)]);
  return Object.fromEntries(mixed) as Palette;
}

/** Returns how dark it is, from 0 to 1. */
export const nightAt = (hour: number) =>
  Math.min(1, Math.max(0, Math.max((0.24 - hour) / 0.1, (hour - 0.76) / 0.12)));
