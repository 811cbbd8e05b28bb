import { afterEach, expect, test } from 'bun:test';
import { captureConsole, say, sayFailure } from './console-lines.ts';

const original = { ...console };
const { emitWarning } = process;
afterEach(() => {
  Object.assign(console, original);
  process.emitWarning = emitWarning;
});

/** Returns a stream and the text that is written to it. */
function streamOf(isTTY: boolean) {
  const written: string[] = [];
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 };
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => written.join('') };
}
const parse = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('what a server says is text at a terminal, and lines of the log elsewhere', () => {
  const [terminal, file] = [streamOf(true), streamOf(false)];
  for (const { stream } of [terminal, file]) say('Running.\nOpen it.', 'info', stream);
  expect(terminal.text()).toBe('Running.\nOpen it.\n');
  expect(parse(file.text())).toEqual([
    { level: 'info', time: expect.any(String), msg: 'Running.' },
    { level: 'info', time: expect.any(String), msg: 'Open it.' },
  ]);
});

test('a stack is one line, and each of several mistakes has its own', () => {
  const [stack, mistakes] = [streamOf(false), streamOf(false)];
  sayFailure('TypeError: x\n    at one\n    at two', stack.stream);
  sayFailure('PORT is wrong.\nHOST is wrong.', mistakes.stream);
  expect(parse(stack.text())).toEqual([
    {
      level: 'error',
      time: expect.any(String),
      stack: 'TypeError: x\n    at one\n    at two',
      msg: 'TypeError: x',
    },
  ]);
  expect(parse(mistakes.text()).map(({ msg }) => msg)).toEqual([
    'PORT is wrong.',
    'HOST is wrong.',
  ]);
});

test('what libraries write to the console, and warnings, go to the log', () => {
  const lines: string[] = [];
  captureConsole((level, text) => lines.push(`${level} ${text}`));
  const { log, error } = globalThis.console;
  log('a %s', 'b');
  error(new Error('broken').message, { n: 1 });
  process.emitWarning('old call');
  expect(lines).toEqual(['info a b', 'error broken { n: 1 }', 'warn old call']);
});
