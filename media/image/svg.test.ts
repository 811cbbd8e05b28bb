import { expect, test } from 'bun:test';
import { checkSvg, measureSvg } from './svg.ts';

const svg = (content: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${content}</svg>`;
const steps = (count: number) => '<feTurbulence/>'.repeat(count);
const doubling = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => `<g id="g${at + 1}"><use href="#g${at}"/><use xlink:href="#g${at}"/></g>`,
  ).join('');

const chain = (count: number) =>
  Array.from({ length: count }, (_, at) => `<g id="g${at}"><use href="#g${at + 1}"/></g>`).join('');

const measures: [string, string, Partial<ReturnType<typeof measureSvg>>][] = [
  ['elements', svg('<g><rect/><path d="<"/></g><!-- <g> -->'), { elements: 5, depth: 3 }],
  [
    'filters that are applied',
    svg(`<filter>${steps(3)}</filter><g filter="url(#f)"/><g style="filter:url(#f)"/>`),
    { filterSteps: 6 },
  ],
  [
    'what `use` repeats',
    svg(`<g id="g0"><rect/></g>${doubling(3)}`),
    { elements: 2 + 2 + 7 + 17 + 37 + 0 },
  ],
  ['a `use` that contains itself once', svg('<g id="a"><use href="#a"/></g>'), { elements: 4 }],
  ['a reference of something else', svg('<rect id="a"/><a href="#a"/>'), { elements: 4 }],
  ['a picture', svg('<image href="data:image/png;base64,AA"/>'), { isNested: false }],
  ['an SVG in it', svg('<image href=" data:image/svg+xml;base64,AA"/>'), { isNested: true }],
  [
    'namespaces as entities',
    `<!DOCTYPE svg [<!ENTITY ns "http://a/">]>${svg('')}`,
    { isNested: false },
  ],
  ['markup as entities', `<!DOCTYPE svg [<!ENTITY a '<g/>'>]>${svg('&a;')}`, { isNested: true }],
];
test.each(measures)('counts %s', (_, text, expected) => {
  expect(measureSvg(Buffer.from(text))).toMatchObject(expected);
});

const refused: [string, string, RegExp][] = [
  [
    '6,000 filter effects',
    svg(`<filter>${steps(6000)}</filter><rect filter="url(#f)"/>`),
    /filter effects/,
  ],
  [
    'a filter used a thousand times',
    svg(`<filter>${steps(2)}</filter>${'<g filter="a"/>'.repeat(1000)}`),
    /filter effects/,
  ],
  ['more elements than one can draw', svg('<a/>'.repeat(200_001)), /too many elements/],
  ['a few that repeat each other', svg(`<g id="g0"/>${doubling(30)}`), /too many elements/],
  ['nesting', svg('<g>'.repeat(600)), /nested too deeply/],
  ['a chain of `use`', svg(chain(600)), /nested too deeply/],
  ['another SVG', svg('<image href="data:image/svg+xml,"/>'), /another SVG/],
];
test.each(refused)('refuses %s for good', (_, text, reason) => {
  let error: unknown;
  try {
    checkSvg(Buffer.from(text), 1);
  } catch (cause) {
    error = cause;
  }
  expect(error).toMatchObject({ retry: 'never', message: expect.stringMatching(reason) });
});

test('allows the more filter effects, the smaller the drawing', () => {
  const text = Buffer.from(svg(`<filter>${steps(200)}</filter>`));
  checkSvg(text, 10_000_000);
  expect(() => checkSvg(text, 10_000_001)).toThrow('too large an area');
});

test('allows what drawing programs write', () => {
  const shadow = '<feGaussianBlur/><feOffset/><feFlood/><feComposite/><feBlend/>';
  const icons = Array.from({ length: 500 }, (_, at) => `<use href="#i" x="${at}"/>`).join('');
  const text = svg(
    `<defs><filter id="f">${shadow}</filter><g id="i"><path d="M0 0"/></g></defs>${'<g filter="url(#f)"/>'.repeat(20)}${icons}`,
  );
  checkSvg(Buffer.from(text), 16_000_000);
});
