import { expect, test } from 'bun:test';
import { DeliverableCache } from './caches/deliverable-cache.ts';
import type { Subject } from './headers.ts';
import { isByUrl, textObject } from './variants.ts';

const bytes = new TextEncoder().encode('#EXTM3U');
const blob = new Blob([bytes]);
const object = {
  uncompressed: { size: bytes.length, modifiedAt: 0, etag: '"tag"', body: () => blob },
  packed: null,
};
const subject: Subject = {
  file: {
    id: 'f',
    name: 'a.jpg',
    file_type: 'image',
    content_type: 'image/jpeg',
    access: 'public',
    expires_at: null,
    headers: null,
    status: 'success',
  },
  bucket: { id: 'b', delivery_rules: null, ignores_public: 0 },
  name: 'a.webp',
  entry: 'a.webp',
  use: 'inline',
  isByPath: false,
  sitePart: null,
  isByAccept: false,
};
const cache = new DeliverableCache({ cdnVariesAccept: false, s3PublicRedirect: false });

test('what has one form is found by its URL; what varies, and texts that memory would hold, are not', async () => {
  expect(isByUrl(cache.get(object, subject))).toBe(true);
  expect(isByUrl(cache.get(object, { ...subject, isByAccept: true }))).toBe(false);
  expect(isByUrl(cache.get(await textObject(bytes, 0, 'tag'), subject))).toBe(false);
});
