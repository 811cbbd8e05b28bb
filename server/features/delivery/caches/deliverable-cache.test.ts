import { expect, test } from 'bun:test';
import type { Subject } from '../headers.ts';
import { DeliverableCache } from './deliverable-cache.ts';

const object = {
  uncompressed: { size: 1, modifiedAt: 0, etag: '"tag"', body: () => new Blob(['x']) },
  packed: null,
};
const file = {
  ...{ id: 'f', name: 'a.jpg', file_type: 'image', access: 'public', status: 'success' },
  headers: null,
} as Subject['file'];
const subject: Subject = {
  ...{
    file,
    bucket: { id: 'b', delivery_rules: null, ignores_public: 0 },
    name: 'a.webp',
    entry: 'a.webp',
  },
  ...{ use: 'inline', isByPath: false, sitePart: null, isByAccept: false },
};
const cache = new DeliverableCache({ cdnVariesAccept: false, s3PublicRedirect: false });
const header = (name: string, of: Subject) => cache.get(object, of).uncompressed.headers.get(name);

test('a file with another name or access is not delivered with the old headers, though its object is cached', () => {
  expect(header('content-disposition', subject)).toBe('inline; filename="a.webp"');
  const renamed = { ...subject, file: { ...file, name: 'b.jpg' } };
  expect(header('content-disposition', renamed)).toBe('inline; filename="b.webp"');
  const hidden = { ...subject, file: { ...file, access: 'private' as const } };
  expect(header('cache-control', hidden)).toBe('private, no-store');
  expect(header('content-disposition', subject)).toBe('inline; filename="a.webp"');
});

test('headers are made once for the same rows and way of use', () => {
  const first = cache.get(object, subject);
  expect(cache.get(object, { ...subject })).toBe(first);
  expect(cache.get(object, { ...subject, use: 'download' })).not.toBe(first);
  expect(
    cache.get(object, { ...subject, bucket: { id: 'b', delivery_rules: null, ignores_public: 0 } }),
  ).not.toBe(first);
});
