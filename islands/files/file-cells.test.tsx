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
  expect(cell).toMatch(/^<span class="text-error ?">Error</);
  expect(cell).toContain('It is no picture.');
});

test('processing is plain, and tells how far it is', () => {
  const cell = cellOf({ status: 'processing', progress: 40 });
  expect(cell).toContain('Processing <span class="text-quiet">40 %</span>');
  expect(cell).not.toMatch(/text-(error|success)/);
});
