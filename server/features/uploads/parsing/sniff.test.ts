import { describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { looksLikeImage, looksLikeVideo } from './sniff.ts';

const text = (value: string) => new TextEncoder().encode(value);
const dot = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });

describe('an image is told by its bytes', () => {
  for (const format of ['jpeg', 'png', 'webp', 'gif'] as const) {
    test(`${format} is one`, async () => {
      expect(await looksLikeImage(await dot.clone().toFormat(format).toBuffer())).toBe(true);
    });
  }
  for (const svg of [
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '\ufeff<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd" [<!ENTITY a "b">]>\n<svg width="1">',
    '  <svg:svg xmlns:svg="http://www.w3.org/2000/svg">',
  ]) {
    test(`so is ${JSON.stringify(svg.slice(0, 30))}`, async () => {
      expect(await looksLikeImage(text(svg))).toBe(true);
    });
  }
  for (const other of [
    '',
    'plain text',
    '<html><svg></svg></html>',
    '<!-- <svg> -->',
    '<svgx>',
    '%PDF-1.7',
    '#EXTM3U',
    '<!DOCTYPE html><html>',
  ]) {
    test(`${JSON.stringify(other)} is none`, async () => {
      expect(await looksLikeImage(text(other))).toBe(false);
    });
  }
  test('AVIF and TIFF are none of the five that are accepted', async () => {
    expect(await looksLikeImage(await dot.clone().avif().toBuffer())).toBe(false);
    expect(await looksLikeImage(await dot.clone().tiff().toBuffer())).toBe(false);
  });
  test('a prolog that never ends takes no time', async () => {
    const before = process.cpuUsage();
    await looksLikeImage(text(`<!DOCTYPE ${'[<!-- '.repeat(800)}`.slice(0, 4100)));
    await looksLikeImage(text(' '.repeat(4100)));
    // Of processor time, in microseconds, and many times what it takes: the other way takes
    // minutes.
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});

describe('a video is told by its bytes', () => {
  test('MP4 and WebM are', async () => {
    expect(
      await looksLikeVideo(Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex')),
    ).toBe(true);
    expect(
      await looksLikeVideo(
        Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104', 'hex'),
      ),
    ).toBe(true);
  });
  for (const other of [
    '',
    'text',
    '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n',
    'ffconcat version 1.0\nfile /etc/passwd',
    '<svg/>',
  ]) {
    test(`${JSON.stringify(other)} is not`, async () => {
      expect(await looksLikeVideo(text(other))).toBe(false);
    });
  }
});
