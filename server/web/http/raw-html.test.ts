import { expect, test } from 'bun:test';
import { jsonForScript } from './raw-html.ts';

test('no value can close the script element it travels in', () => {
  const hostile = { name: '</script><script>alert(1)</script><!--' };
  const json = jsonForScript(hostile);
  expect(json).not.toContain('<');
  expect(JSON.parse(json)).toEqual(hostile);
});
