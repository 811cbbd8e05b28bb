import { expect, test } from 'bun:test';
import { isByUrl, textVariants, variantOf } from './variants.ts';

const bytes = new TextEncoder().encode('#EXTM3U');
const source = { size: bytes.length, modifiedAt: 0, body: () => new Blob([bytes]) };
const variant = (headers: Record<string, string> = {}) => ({
  uncompressed: variantOf(source, headers, 'tag'),
  packed: null,
});

test('what has one form is found by its URL; what varies, and texts that memory would hold, are not', async () => {
  expect(isByUrl(variant())).toBe(true);
  expect(isByUrl(variant({ vary: 'Accept' }))).toBe(false);
  expect(isByUrl(await textVariants(bytes, 0, {}, 'tag'))).toBe(false);
});
