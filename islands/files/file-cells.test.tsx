import { expect, test } from 'bun:test';
import { renderToStaticMarkup } from 'react-dom/server';
import type { FileWire } from '../../server/contract/wire.ts';
import { FileStatusCell } from './file-cells.tsx';

const cellOf = (file: Partial<FileWire>) =>
  renderToStaticMarkup(<FileStatusCell file={{ name: 'a.jpg', ...file } as FileWire} />);

test('success is green', () => {
  expect(cellOf({ status: 'success' })).toBe('<span class="text-success">Success</span>');
});

test('an error is red, and says why', () => {
  const cell = cellOf({ status: 'error', error: 'It is no picture.' });
  expect(cell).toMatch(/^<span class="text-error ?">Error </);
  expect(cell).toContain('It is no picture.');
});

test('processing is plain, and tells how far it is', () => {
  const cell = cellOf({ status: 'processing', progress: 40 });
  expect(cell).toContain('Processing <span class="text-quiet">40%</span>');
  expect(cell).not.toMatch(/text-(error|success)/);
});

test.each([
  [{ queue_position: 1, queue_seconds: 0 }, 'no. 1, about 1 min'],
  [{ queue_position: 12, queue_seconds: 1500 }, 'no. 12, about 25 min'],
  [{ queue_position: 3, queue_seconds: 10_800 }, 'no. 3, about 3 h'],
  [{ queue_position: 3, queue_seconds: null }, 'no. 3'],
])('a file that waits tells its place: %o', (work, text) => {
  const cell = cellOf({ status: 'processing', progress: 0, ...work });
  expect(cell).toMatch(new RegExp(`Queued <span class="[^"]*text-quiet[^"]*">${text}</span>`));
});
