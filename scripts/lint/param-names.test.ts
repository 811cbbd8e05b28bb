import { expect, test } from 'bun:test';
import { findWrongParams } from './param-names.ts';

/** Writes comments without the sign that would make them comments of this file. */
const comment = (text: string) => `/** ${text.replaceAll('PARAM', '@param')} */\n`;

test.each([
  ['PARAM name who', 'function greet(name: string) {}', []],
  ['PARAM nam who', 'function greet(name: string) {}', ['nam']],
  ['PARAM options.name who', 'const greet = ({ name }: { name: string }) => {};', []],
  ['PARAM options.name who', 'const greet = (options: Options) => {};', []],
  ['PARAM options.old who', 'const greet = ({ name }: { name: string }) => {};', ['options.old']],
  ['PARAM run what PARAM gone what', 'function f(run: () => (x: number) => void) {}', ['gone']],
  ['PARAM body what', 'function f() { body(); }', ['body']],
])('%p above %p names %p, which are no parameters', (text, code, wrong) => {
  expect(findWrongParams(`${comment(text)}${code}`)).toEqual(wrong);
});
