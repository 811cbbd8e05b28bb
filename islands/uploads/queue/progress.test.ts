import { expect, test } from 'bun:test';
import { percentOf, totalPercent } from './progress.ts';

const file = { size: 1000 } as File;
const row = { kind: 'image' as const, phase: 'sending' as const, sent: 0, progress: 0, file };

test.each([
  ['file', 'sending', 500, 0, 50],
  ['file', 'sending', 1000, 0, 99],
  ['file', 'done', 1000, 0, 100],
  ['image', 'sending', 1000, 0, 90],
  ['image', 'processing', 1000, 50, 95],
  ['video', 'sending', 1000, 0, 50],
  ['video', 'processing', 1000, 0, 50],
  ['video', 'processing', 1000, 99, 99],
  ['video', 'done', 1000, 99, 100],
] as const)(
  'a %p that is %p, %p bytes sent and processed by %p %, is at %p',
  (kind, phase, sent, progress, percent) => {
    expect(percentOf({ kind, phase, sent, progress, file })).toBe(percent);
  },
);

test('an empty file is complete only when the server has it', () => {
  const empty = { ...row, kind: 'file' as const, file: { size: 0 } };
  expect(percentOf(empty)).toBe(0);
  expect(percentOf({ ...empty, phase: 'done' })).toBe(100);
});

test('together, large files weigh more, and those that failed or were stopped nothing', () => {
  const small = { phase: 'done' as const, percent: 100, file: { size: 100 } as File };
  const large = { phase: 'sending' as const, percent: 0, file: { size: 900 } as File };
  expect(totalPercent([small, large])).toBe(10);
  const ended = (phase: 'failed' | 'stopped') => ({ ...large, phase });
  expect(totalPercent([small, ended('failed'), ended('stopped')])).toBe(100);
});
