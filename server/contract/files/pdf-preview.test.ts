import { expect, test } from 'bun:test';
import { parsePdfMessage } from './pdf-preview.ts';

test('a frame says one of a few words, and nothing else is heard', () => {
  expect(parsePdfMessage({ type: 'shown', html: '<b>' })).toEqual({ type: 'shown' });
  expect(parsePdfMessage({ type: 'failed', reason: 'locked' })).toEqual({
    type: 'failed',
    reason: 'locked',
  });
  for (const data of [
    null,
    'ready',
    {},
    { type: 'go' },
    { type: 'failed' },
    { type: 'failed', reason: 'constructor' },
  ]) {
    expect(parsePdfMessage(data)).toBeNull();
  }
});
