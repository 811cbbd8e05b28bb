import { expect, test } from 'bun:test';
import { isForBrowsers, isRunnable, samplesOf } from './samples.ts';

const block = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n`;

test('every block is found, and an output belongs to the block right before it', () => {
  const text = `A.\n\n${block('sh', 'ls')}\n${block('output', 'a')}\nB.\n${block('ini', 'x=1')}`;
  expect(samplesOf(text)).toEqual([
    { language: 'sh', code: 'ls\n', output: 'a\n' },
    { language: 'ini', code: 'x=1\n', output: null },
  ]);
});

test('an output that nothing makes is refused', () => {
  const lone = block('output', 'a');
  expect(() => samplesOf(lone)).toThrow('Nothing that runs');
  expect(() => samplesOf(`${block('ini', 'x=1')}\n${lone}`)).toThrow('Nothing that runs');
  expect(() => samplesOf(`${block('sh', 'ls')}\nWords.\n${lone}`)).toThrow('Nothing that runs');
});

test('shell and TypeScript run, what is for a page runs in a browser', () => {
  const kinds = (language: string, code: string) => {
    const sample = { language, code, output: null };
    return [isRunnable(sample), isForBrowsers(sample)];
  };
  expect(kinds('sh', 'echo document.title')).toEqual([true, false]);
  expect(kinds('ts', 'console.log(1)')).toEqual([true, false]);
  expect(kinds('ts', 'document.title = "a"')).toEqual([false, true]);
  expect(kinds('nginx', 'listen 80;')).toEqual([false, false]);
});
