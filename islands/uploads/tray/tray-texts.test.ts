import { expect, test } from 'bun:test';
import type { Phase } from '../upload-store.ts';
import { announcementOf, headOf, shownRows, stateOf } from './tray-texts.ts';

const rowsOf = (...phases: Phase[]) =>
  phases.map((phase, id) => ({
    id,
    phase,
    reason: phase === 'failed' ? 'Too large.' : null,
    file: new File(['x'.repeat(2048)], `${id}.jpg`),
    sent: 1024,
    rate: 512,
  }));

test.each([
  [['sending', 'waiting', 'done'], 'Uploading 2 files', '3 uploads started'],
  [['sending'], 'Uploading 1 file', '1 upload started'],
  [['processing', 'done'], 'Processing 1 file', '2 uploads started'],
  [['done', 'stopped'], 'Uploads finished', 'Uploads finished'],
  [
    ['done', 'failed'],
    'Uploads finished (1 failed)',
    'Uploads finished (1 failed). 1.jpg: Too large.',
  ],
  [['failed', 'sending'], 'Uploading 1 file (1 failed)', '0.jpg: Too large.'],
  [
    ['paused', 'failed'],
    'Uploading 1 file (1 failed)',
    'Connection lost. Resuming when you’re back online.',
  ],
] as [Phase[], string, string][])('%p are %p, announced as %p', (phases, head, said) => {
  expect(headOf(rowsOf(...phases))).toBe(head);
  expect(announcementOf(rowsOf(...phases))).toBe(said);
});

test.each([
  ['waiting', '2.00 KiB · Waiting in the queue.'],
  ['sending', '1.00 KiB of 2.00 KiB · 0.50 KiB/s · 2 s left'],
  ['processing', 'Uploaded. Processing the file.'],
  ['done', '2.00 KiB · Ready.'],
  ['failed', 'Too large.'],
] as [Phase, string][])('a row that is %p says %p', (phase, text) => {
  const [row] = rowsOf(phase);
  expect(row && stateOf(row)).toBe(text);
});

test('of a long list those are shown that fail or run, in their order, and none twice', () => {
  const rows = rowsOf('done', 'waiting', 'sending', 'done', 'failed', 'processing', 'waiting');
  const shown = (limit: number) => shownRows(rows, limit).map(({ id }) => id);
  expect(shown(2)).toEqual([2, 4]);
  expect(shown(4)).toEqual([1, 2, 4, 5]);
  expect(shown(7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});
