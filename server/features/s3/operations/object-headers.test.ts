import { expect, test } from 'bun:test';
import { metadataHeaders, parseStoredFields } from './object-headers.ts';

test('metadata comes back under every name that a header can have', () => {
  const names = ['own', '__proto__', 'constructor', 'tostring'];
  const headers = new Headers(names.map((name) => [`x-amz-meta-${name}`, `of ${name}`]));
  const { metadata } = parseStoredFields(headers).stored;
  const sent = Object.entries(metadataHeaders(metadata));
  expect(sent.sort()).toEqual([...headers].sort());
});
