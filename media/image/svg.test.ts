import { expect, test } from 'bun:test';
import { sharp } from './sharp.ts';
import { readSvg } from './svg.ts';

const svg = (content: string) => `<svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`;

const refused: [string, string, RegExp][] = [
  ['more elements than fit into memory', svg('<a/>'.repeat(200_001)), /too many elements/],
  ['another SVG', svg('<image href=" data:image/svg+xml;base64,AA"/>'), /another SVG/],
  ['markup as entities', `<!DOCTYPE svg [<!ENTITY a '<g/>'>]>${svg('&a;')}`, /another SVG/],
  ['what would have to be unpacked', '\x1f\x8b', /compressed/],
];
test.each(refused)('refuses %s for good', (_, text, reason) => {
  const check = () => readSvg(Buffer.from(text, 'latin1'));
  expect(check).toThrow(
    expect.objectContaining({ retry: 'never', message: expect.stringMatching(reason) }),
  );
});

const allowed: [string, string][] = [
  ['as many elements as a map has', svg('<a/>'.repeat(150_000))],
  ['a picture', svg('<image href="data:image/png;base64,AA"/>')],
  ['namespaces as entities', `<!DOCTYPE svg [<!ENTITY ns "http://a/">]>${svg('')}`],
  ['nothing', ''],
];
test.each(allowed)('allows %s', (_, text) => {
  readSvg(Buffer.from(text));
});

const styled = (css: string) => svg(`<style>${css}</style>`);
const undrawable = [
  ...[':root{--c:red}a{fill:var(--c)}', 'a{fill:light-dark(red,blue)}', 'a{fill:oklch(1 0 0)}'],
  ...['a{fill:color-mix(in srgb,red,blue)}', 'svg{a{fill:red}}', 'a{fill:red;&:hover{fill:blue}}'],
  ...['@media screen{a{fill:red}}', '@layer x{a{fill:red}}', ':is(a){fill:red}'],
  ...['@font-face{font-family:A;src:url("data:font/woff2;base64,AA")}'],
  ...['a{transform-origin:0 0}', 'a{clip-path:circle(1px)}', 'a{d:path("M0 0")}'],
].map(styled);
undrawable.push(
  ...[svg('<foreignObject/>'), svg('<a fill="var(--c)"/>'), svg('<a style="fill:lab(1 0 0)"/>')],
  ...[svg('<rect width="calc(1px + 1px)"/>'), styled('<![CDATA[a{fill:var(--c)}]]>')],
);
test.each(undrawable)('only browsers can draw %s', (text) => {
  expect(readSvg(Buffer.from(text)).need).toBe('undrawable');
});

const adaptive = [
  svg('<rect><animate attributeName="x"/></rect>'),
  styled('@keyframes k{from{fill:red}to{fill:blue}}a{animation:k 1s}'),
  styled('a{fill:red}@media (prefers-color-scheme: dark){a{fill:blue}}'),
];
test.each(adaptive)('an image shows one state of %s', (text) => {
  expect(readSvg(Buffer.from(text)).need).toBe('adaptive');
});

const drawable = [
  styled('a{fill:red;stroke:url(#a)}/* var(--c) { {} } */b{font-family:"var(--x)"}'),
  svg('<text aria-label="calc(1)">var(--c) max(1)</text><path d="M0 0" transform="rotate(1)"/>'),
  svg('<switch><foreignObject requiredExtensions="http://a/"/><g/></switch>'),
  styled('@font-face{font-family:A;src:url(https://a/)}'),
  styled('.color{fill:rgb(0 0 0 / 50%)}a:not(.b)>c~d:first-child{filter:blur(1px)}'),
];
test.each(drawable)('anybody can draw %s', (text) => {
  expect(readSvg(Buffer.from(text)).need).toBeNull();
});

// The numbers are those of Chromium, but where the shape alone is known.
const sizes: [attributes: string, width: number, height: number][] = [
  ['', 300, 150],
  ['width="100"', 100, 150],
  ['width="4cm" height="2cm"', 151, 76],
  ['width="210mm" height="297mm" viewBox="0 0 210 297"', 794, 1123],
  ['width="2in" height="36pt"', 192, 48],
  ['width="100%" height="50%"', 300, 150],
  ['width="50%" height="40"', 300, 40],
  ['width="100" viewBox="0 0 200 50"', 100, 25],
  ["height='100' viewBox='0,0,200,50'", 400, 100],
  ['width="100%" height="100%" viewBox="0 0 200 100"', 200, 100],
  ['viewBox="0 0 24 24"', 24, 24],
  ['width="auto" height="-5" viewBox="0 0 40 80"', 40, 80],
];
test.each(sizes)('a drawing with %p is drawn in %px%p', async (attributes, width, height) => {
  const text = `<?xml version="1.0"?><svg ${attributes} xmlns="http://www.w3.org/2000/svg"><rect width="9000" height="9000"/></svg>`;
  const { bytes } = readSvg(Buffer.from(text));
  expect(await sharp(bytes).metadata()).toMatchObject({ width, height });
});

const WIDTHS = 'x="0" y="0" height="10" fill="#f00"';
// The numbers are those of Chromium: an inch has 96 pixels.
const lengths: [content: string, pixels: number][] = [
  [`<rect ${WIDTHS} width="1in"/>`, 96],
  [`<rect ${WIDTHS} width="2.54cm"/>`, 96],
  [`<rect ${WIDTHS} width='.5in'/>`, 48],
  [`<rect ${WIDTHS} width="36PT"/>`, 48],
  [`<rect ${WIDTHS} style="width:25.4mm"/>`, 96],
  [`<style>#a1in{width:9pc}</style><rect ${WIDTHS} id="a1in" width="9"/>`, 144],
  [`<rect ${WIDTHS} width="90"/>`, 90],
  ['<path d="M0 5H60" stroke="#f00" stroke-width="1in"/>', 60],
  ['<g font-size="12pt"><rect x="0" y="0" width="3em" height="10" fill="#f00"/></g>', 48],
];
test.each(lengths)(
  '%p is %d pixels wide, whatever the size of the picture',
  async (content, px) => {
    const root = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="20">';
    const { bytes } = readSvg(Buffer.from(`${root}${content}</svg>`));
    for (const scale of [1, 3]) {
      const drawn = sharp(bytes, { density: 72 * scale }).ensureAlpha();
      const { data, info } = await drawn.raw().toBuffer({ resolveWithObject: true });
      const row = Array.from({ length: info.width }, (_, x) => data[(5 * info.width + x) * 4 + 3]);
      expect(row.filter((alpha) => alpha === 255).length).toBe(px * scale);
    }
  },
);

test.each(['/*', '@font-face{', '@font-face ', 'a ', '9', '1.', '{', ';', 'd '])(
  'a style sheet of a million %p is read in a moment',
  (text) => {
    readSvg(Buffer.from(styled(text.repeat(1_000_000))));
  },
);
