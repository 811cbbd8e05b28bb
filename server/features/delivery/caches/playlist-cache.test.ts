import { expect, test } from 'bun:test';
import { textVariants } from '../variants.ts';
import { PlaylistCache } from './playlist-cache.ts';

const KEY = 'f/b/f/a/master.m3u8';
const subject = {
  file: {
    id: 'f',
    bucket_id: 'b',
    region: null,
    name: 'a.mp4',
    file_type: 'video' as const,
    content_type: 'video/mp4',
    access: 'private' as const,
    entry: 'master.m3u8',
  },
  name: 'master.m3u8',
};

/** A playlist that counts how often it is read. */
async function playlist() {
  const calls = { reads: 0 };
  const original = await textVariants(new TextEncoder().encode('segment.m4s'), null, {}, 'tag');
  const { body } = original.uncompressed;
  original.uncompressed.body = () => {
    calls.reads += 1;
    return body();
  };
  return { calls, original };
}

test('players with one token share one playlist, and get no other token', async () => {
  const { calls, original } = await playlist();
  const cache = new PlaylistCache();
  const open = (token: string) => cache.open(KEY, { original, subject, token });
  expect(cache.get(KEY, 'one')).toBeUndefined();
  const [first, same, other] = await Promise.all(['one', 'one', 'two'].map(open));
  expect([first === same, first === other, calls.reads]).toEqual([true, false, 2]);
  expect(cache.get(KEY, 'one')).toBe(first as never);
  expect(cache.get(KEY, 'two')).toBe(other as never);
  expect(cache.get(KEY, 'three')).toBeUndefined();
  expect(await new Response(other?.uncompressed.body()).text()).toBe('segment.m4s?jwt=two');
});
