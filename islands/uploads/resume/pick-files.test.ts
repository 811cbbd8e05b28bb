import { expect, test } from 'bun:test';
import { IMAGE_TYPES, VIDEO_TYPES } from '../file-kinds.ts';
import { acceptOf } from './pick-files.ts';

test('an extension belongs to the type before it, as the picker wants both', () => {
  expect(acceptOf(VIDEO_TYPES)).toEqual({
    'video/mp4': [],
    'video/x-matroska': ['.mkv'],
    'video/*': [],
  });
  expect(Object.keys(acceptOf(IMAGE_TYPES))).toHaveLength(10);
  expect(acceptOf('.mkv')).toEqual({ '*/*': ['.mkv'] });
});
