import { afterEach, expect, test } from 'bun:test';
import type { FileWire } from '../../server/contract/wire.ts';
import { addRows, dismissRows, endRow, failRow, updateRow, uploads } from './upload-store.ts';

afterEach(() => {
  uploads.rows = [];
});

const add = (...names: string[]) =>
  addRows(
    names.map((name) => ({
      ...{ bucketId: 'b', clientId: name, kind: 'video' as const, sent: 0 },
      file: new File(['x'.repeat(100)], name),
    })),
  );

test('progress never falls: not when an attempt starts over, nor when the processing does', () => {
  const [row] = add('clip.mp4');
  if (!row) throw new Error('there is no row');
  const seen: number[] = [];
  const step = (changes: Parameters<typeof updateRow>[1]) => {
    updateRow(row, changes);
    seen.push(row.percent);
  };
  step({ phase: 'sending', sent: 80 });
  step({ phase: 'paused' });
  step({ phase: 'sending', sent: 10 });
  step({ phase: 'sending', sent: 100 });
  step({ phase: 'processing', progress: 0 });
  step({ phase: 'processing', progress: 60 });
  step({ phase: 'processing', progress: 20 });
  failRow(row, 'Gone wrong.', true);
  seen.push(row.percent);
  step({ phase: 'waiting', reason: null });
  expect(seen).toEqual([40, 40, 40, 50, 50, 80, 80, 80, 80]);
});

test('only what has ended can be dismissed', () => {
  const [done, failed, running] = add('done.mp4', 'failed.mp4', 'running.mp4');
  if (!done || !failed || !running) throw new Error('a row is missing');
  endRow(done, 'done', { id: 'f1' } as FileWire);
  failRow(failed, 'Refused.', false);
  updateRow(running, { phase: 'sending' });
  dismissRows([done.id, failed.id, running.id]);
  expect(uploads.rows.map(({ clientId }) => clientId)).toEqual(['running.mp4']);
});
