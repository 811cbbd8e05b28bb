import { expect, test } from 'bun:test';
import { checkSvg } from './svg.ts';

const svg = (content: string) => `<svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`;

const refused: [string, string, RegExp][] = [
  ['more elements than fit into memory', svg('<a/>'.repeat(200_001)), /too many elements/],
  ['another SVG', svg('<image href=" data:image/svg+xml;base64,AA"/>'), /another SVG/],
  ['markup as entities', `<!DOCTYPE svg [<!ENTITY a '<g/>'>]>${svg('&a;')}`, /another SVG/],
  ['what would have to be unpacked', '\x1f\x8b', /compressed/],
];
test.each(refused)('refuses %s for good', (_, text, reason) => {
  const check = () => checkSvg(Buffer.from(text, 'latin1'));
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
  checkSvg(Buffer.from(text));
});
