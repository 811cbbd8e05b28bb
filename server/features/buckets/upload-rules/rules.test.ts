import { expect, test } from 'bun:test';
import { formatUploadRules, requireAllowedType, sizeRefusal } from './rules.ts';

const NONE = { allowed_types: null, max_file_bytes: null, storage_limit: null };

const allows = (allowed_types: string[], type: string) => {
  const columns = formatUploadRules({ ...NONE, allowed_types });
  try {
    requireAllowedType(columns, type);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 415, code: 'type-refused' });
    return false;
  }
};

test.each([
  [[], 'text/html', true],
  [['image/*'], 'image/png', true],
  [['image/*'], 'imagex/png', false],
  [['image/*'], 'text/html', false],
  [['image/png'], 'image/png', true],
  [['image/png'], 'image/png2', false],
  [['IMAGE/Svg+XML'], 'image/svg+xml', true],
  [['text/plain'], 'text/plain; charset=utf-8', true],
  [['audio/mpeg', 'video/*'], 'video/mp4', true],
])('with the types %p a file of %s is accepted: %p', (types, type, isAllowed) => {
  expect(allows(types, type)).toBe(isAllowed);
});

test.each(['*/*', 'image', '/png', 'image/', 'image/*/png', 'image/png; q=1', 'a b/c', ''])(
  '%p is no type',
  (text) => {
    expect(() => formatUploadRules({ ...NONE, allowed_types: [text] })).toThrow('is not a type');
  },
);

test.each([
  [{}, 10 ** 12, null],
  [{ max_file_bytes: 5 }, 5, null],
  [{ max_file_bytes: 5 }, 6, 'too-large'],
  [{ storage_limit: 105 }, 5, null],
  [{ storage_limit: 105 }, 6, 'bucket-full'],
  [{ storage_limit: 99 }, 0, 'bucket-full'],
])('a bucket of 100 bytes with %p refuses a file of %p bytes as %p', (rules, bytes, code) => {
  expect(sizeRefusal({ ...NONE, ...rules, usage: 100 }, bytes)?.code ?? null).toBe(code as never);
});
