import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { parseLongXml, parseXml, textsOf } from './parse.ts';

const leaf = (name: string, text: string) => ({ name, text, children: [] });

test('elements, text, references, comments and CDATA are read', () => {
  const text = `\ufeff<?xml version="1.0"?><!-- a --><s3:Delete xmlns:s3="http://x" a='b'>
<Key>a&amp;b&lt;&#x20ac;&#8364;<!-- c --><![CDATA[<&nbsp;>]]></Key><Quiet/></s3:Delete>`;
  expect(parseXml(text)).toMatchObject({
    name: 'Delete',
    children: [leaf('Key', 'a&b<€€<&nbsp;>'), leaf('Quiet', '')],
  });
});

test('white space in a key stays', () => {
  expect(parseXml('<Key> a  b </Key>').text).toBe(' a  b ');
});

test.each([
  ['an entity that is not known', '<Key>a&nbsp;b</Key>'],
  ['an entity of the prototype', '<Key>a&toString;b</Key>'],
  ['a lone ampersand', '<Key>a & b</Key>'],
  ['a reference to no character', '<Key>&#xd800;</Key>'],
  ['a reference to zero', '<Key>&#0;</Key>'],
  ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><Key>&b;</Key>'],
  ['a tag that is not closed', '<Key>a'],
  ['a tag that closes another', '<A><B></A></B>'],
  ['two elements', '<A/><B/>'],
  ['text outside', '<A/>text'],
  ['nothing', ''],
  ['an end with attributes', '<A></A b="c">'],
  ['a comment without an end', '<A><!-- </A>'],
  ['deep nesting', '<A>'.repeat(9) + '</A>'.repeat(9)],
])('%s is refused', (_, text) => {
  expect(() => parseXml(text)).toThrow('XML is not valid');
});

/** Texts of up to a megabyte, which a parser that goes back or searches ahead reads for minutes. */
const SIZE = 2 ** 20;
const MANY = 90_000;
test.each([
  ['many elements', `<A>${'<B/>'.repeat(MANY)}</A>`],
  ['many pieces of text', `<A>${'<B>x</B>'.repeat(MANY)}</A>`],
  ['many references', `<A>${'&lt;'.repeat(SIZE / 4)}</A>`],
  ['many comments', `<A>${'<!---->'.repeat(SIZE / 8)}</A>`],
  ['much white space in a tag', `<A${' '.repeat(SIZE)}/>`],
  ['much text', `<A>${'x'.repeat(SIZE)}</A>`],
])('%s are read in one pass, in turns alike', async (_, text) => {
  const element = parseXml(text);
  expect(element.name).toBe('A');
  expect(Bun.deepEquals(await parseLongXml(text), element)).toBe(true);
});

test.each([
  ['white space', `<A${' '.repeat(SIZE)}`],
  ['attributes', `<A${' b="c"'.repeat(SIZE / 8)} `],
  ['more attributes than any has', `<A${' b="c"'.repeat(SIZE / 8)}/>`],
  ['ampersands', `<A>${'&'.repeat(SIZE)}</A>`],
  ['more elements than any has', `<A>${'<B/>'.repeat(SIZE / 4)}</A>`],
])('a tag or text that %s make invalid is refused as soon', async (_, text) => {
  expect(() => parseXml(text)).toThrow('XML is not valid');
  await expect(parseLongXml(text)).rejects.toThrow('XML is not valid');
});

test.each([
  ['elements', `<A>${'<B/>'.repeat(MANY)}</A>`],
  ['references', `<A>${'&lt;'.repeat(MANY)}</A>`],
  ['comments', `<A>${'<!---->'.repeat(MANY)}</A>`],
])('others have their turn while a document of many %s is read', async (_, text) => {
  let turns = 0;
  let isRead = false;
  const reading = parseLongXml(text).finally(() => {
    isRead = true;
  });
  while (!isRead) {
    await setImmediate();
    turns += 1;
  }
  await reading;
  expect(turns).toBeGreaterThan(40);
});

test('the texts of some elements are read in one pass, each of which may be there once', () => {
  const names = new Set(['A', 'B']);
  const read = (text: string) => [...textsOf(parseXml(`<R>${text}</R>`), names)];
  expect(read('<A>1</A><C>2</C><C/><B> 3</B>')).toEqual([
    ['A', '1'],
    ['B', ' 3'],
  ]);
  expect(() => read('<A>1</A><A>2</A>')).toThrow('A is there twice');
  expect(() => read('<B><A/></B>')).toThrow('B can have no elements');
});
