import { expect, test } from 'bun:test';
import { isAsPromised } from './output.ts';

test.each([
  ['{"id": "…", "size": 3}', '{"id":"a","size":3}'],
  ['{"id": "…", "…": "…"}', '{"id":1,"size":3}'],
  ['{"url": "http://a/…/b"}', '{"url":"http://a/x/y/b"}'],
  ['{"a": 1}\n{"b": [0]}', '{"a":1}\n{"b":[0]}\n'],
  ['file …', 'file 17\n'],
  ['204', '204'],
])('%p is kept by %p', (promised, output) => {
  expect(isAsPromised(promised, output)).toBe(true);
});

test.each([
  ['{"id": "…", "size": 3}', '{"id":"a","size":4}'],
  ['{"id": "…"}', '{"id":"a","size":4}'],
  ['{"id": "…", "…": "…"}', '{"size":4}'],
  ['{"url": "http://a/…/b"}', '{"url":"http://a/x/y/c"}'],
  ['{"a": 1}', '{"a":1}\n{"b":[0]}'],
  ['{"a": [0]}', '{"a":[0,1]}'],
  ['{"a": 1}', 'Not found'],
  ['file …', 'no file 17'],
  ['2.4', '204'],
])('%p is broken by %p', (promised, output) => {
  expect(isAsPromised(promised, output)).toBe(false);
});
