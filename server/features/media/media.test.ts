import { expect, test } from 'bun:test';
import { deliveredBytes, NO_MEDIA } from './media.ts';

const rendition = (name: string, entry: string | null, bytes: number) => ({
  ...{ name, entry, bytes },
  ...{ width: null, height: null },
});

test('the bytes of a delivered image are those of its rendition, and not those of its original', () => {
  const renditions = JSON.stringify([
    rendition('original', null, 9),
    rendition('delivered', 'a.webp', 4),
  ]);
  expect(deliveredBytes({ renditions, entry: 'a.webp' })).toBe(4);
  expect(deliveredBytes({ renditions, entry: 'a.jpg' })).toBeNull();
});

test('nothing tells the bytes of an image of an earlier version, or of a file that is not processed', () => {
  expect(deliveredBytes({ renditions: null, entry: 'a.webp' })).toBeNull();
  expect(deliveredBytes({ renditions: '[]', entry: 'a.webp' })).toBeNull();
  expect(deliveredBytes(NO_MEDIA)).toBeNull();
});
