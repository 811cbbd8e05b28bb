import { expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { compressPart, gzipAround } from './gzip-parts.ts';

test.each([
  ['texts', ['<html>', 'the same text '.repeat(50_000), '</html>']],
  ['nothing around it', ['', 'part', '']],
  ['an empty part', ['before', '', 'after']],
  ['letters of several bytes', ['ä', '日本'.repeat(1000), '€']],
] as const)('%s come out of gzip one after the other', async (_, [before, text, after]) => {
  const part = await compressPart(text);
  for (const head of [before, `${before}${before}`]) {
    const packed = gzipAround(head, part, after);
    expect(gunzipSync(packed).toString()).toBe(head + text + after);
    // Browsers and fetch unpack it as a stream.
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    expect(await new Response(stream).text()).toBe(head + text + after);
  }
});
