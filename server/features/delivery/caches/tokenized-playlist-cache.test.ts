import { expect, test } from 'bun:test';
import { textObject } from '../variants.ts';
import { TokenizedPlaylistCache } from './tokenized-playlist-cache.ts';

const KEY = 'f/b/f/a/master.m3u8';
/** A playlist that counts how often it is read. */
async function playlist() {
  const calls = { reads: 0 };
  const original = await textObject(new TextEncoder().encode('segment.m4s'), null, 'tag');
  const { body } = original.uncompressed;
  original.uncompressed.body = () => {
    calls.reads += 1;
    return body();
  };
  return { calls, original };
}

test('players with one token share one playlist, and get no other token', async () => {
  const { calls, original } = await playlist();
  const cache = new TokenizedPlaylistCache();
  const open = (token: string) => cache.open({ key: KEY, original, token });
  const [first, same, other] = await Promise.all(['one', 'one', 'two'].map(open));
  expect([first === same, first === other, calls.reads]).toEqual([true, false, 2]);
  expect(open('one')).toBe(first as never);
  expect(open('two')).toBe(other as never);
  expect(open('three')).toBeInstanceOf(Promise);
  expect(await new Response(other?.uncompressed.body()).text()).toBe('segment.m4s?jwt=two');
});
