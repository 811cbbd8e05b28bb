import { expect, test } from 'bun:test';
import { HOUR, MINUTE, VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import { interruptedText } from './interrupted-list.tsx';

const NOW = 1_000_000;
const entry = (expiresIn: number) => ({
  bucketId: 'b',
  clientId: 'c',
  name: 'holiday.mp4',
  size: 7 * VIDEO_CHUNK_BYTES,
  lastModified: 1,
  sha256: '',
  access: 'public' as const,
  resolution: '',
  timelinePreview: false,
  received: 3,
  expires: NOW + expiresIn,
});

test('an image that was interrupted starts over', () => {
  expect(interruptedText({ ...entry(HOUR), name: 'dawn.jpg', kind: 'image' }, NOW)).toBe(
    'dawn.jpg. Choose the file again to upload it.',
  );
});

test.each([
  [21.9 * HOUR, '21 h'],
  [HOUR, '1 h'],
  [HOUR - 1, '60 min'],
  [10 * MINUTE, '10 min'],
  [1, '1 min'],
])('an upload that lives %p ms more says so', (expiresIn, time) => {
  expect(interruptedText(entry(expiresIn), NOW)).toBe(
    `holiday.mp4, 42%, expires in ${time}. Choose the file again to resume.`,
  );
});

test('a file that the browser has kept need not be chosen', () => {
  expect(interruptedText(entry(HOUR), NOW, true)).toBe('holiday.mp4, 42%, expires in 1 h.');
  expect(interruptedText({ ...entry(HOUR), name: 'dawn.jpg', kind: 'image' }, NOW, true)).toBe(
    'dawn.jpg. The upload starts over.',
  );
});
