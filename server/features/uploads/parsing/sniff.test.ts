import { describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { mediaTypeOf } from './sniff.ts';
import { requireImage, requireVideo } from './type-errors.ts';

const text = (value: string) => new TextEncoder().encode(value);
const dot = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });

describe('an image is told by its bytes', () => {
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const) {
    test(`${format} is one`, async () => {
      expect(await mediaTypeOf(await dot.clone().toFormat(format).toBuffer())).toBe('image');
    });
  }
  for (const svg of [
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '\ufeff<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd" [<!ENTITY a "b">]>\n<svg width="1">',
    '  <svg:svg xmlns:svg="http://www.w3.org/2000/svg">',
  ]) {
    test(`so is ${JSON.stringify(svg.slice(0, 30))}`, async () => {
      expect(await mediaTypeOf(text(svg))).toBe('image');
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
      expect(await mediaTypeOf(text(other))).toBeNull();
    });
  }
  test.each([
    ['a HEIC photo', '000000186674797068656963000000006d69663168656963'],
    ['a BMP', '424d36000000000000003600000028000000'],
  ])('%s is one', async (_, hex) => {
    expect(await mediaTypeOf(Buffer.from(hex, 'hex'))).toBe('image');
  });
  test.each([
    ['an audio file', '49443303000000000000fffb9064', /use POST \/files\/upload\/file\/b\./],
    [
      'M4A',
      '00000018667479704d344120000000004d3441206d703432',
      /use POST \/files\/upload\/file\/b\./,
    ],
  ])('%s is none, and the error says what to do', async (_, hex, hint) => {
    const head = Buffer.from(hex, 'hex');
    expect(await mediaTypeOf(head)).toBeNull();
    await expect(requireImage(head, 'b')).rejects.toThrow(hint);
    await expect(requireVideo(head, 'b')).rejects.toThrow(hint);
  });
  test('a prolog that never ends takes no time', async () => {
    const before = process.cpuUsage();
    await mediaTypeOf(text(`<!DOCTYPE ${'[<!-- '.repeat(800)}`.slice(0, 4100)));
    await mediaTypeOf(text(' '.repeat(4100)));
    // Of processor time, in microseconds, and many times what it takes: the other way takes
    // minutes.
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});

describe('a video is told by its bytes', () => {
  test('MP4 and WebM are', async () => {
    expect(
      await mediaTypeOf(Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex')),
    ).toBe('video');
    expect(
      await mediaTypeOf(
        Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104', 'hex'),
      ),
    ).toBe('video');
  });
  test.each([188, 192, 204])(
    'so is MPEG-TS of %d bytes that begins inside a packet',
    async (length) => {
      const packets = new Uint8Array(4100).fill(0x11);
      for (let at = 70; at < packets.length; at += length) packets[at] = 0x47;
      expect(await mediaTypeOf(packets)).toBe('video');
      packets[70 + 5 * length] = 0;
      expect(await mediaTypeOf(packets)).toBeNull();
    },
  );
  test('the error of another file names the formats', async () => {
    await expect(requireVideo(text('text'), 'b')).rejects.toThrow(
      "This video format isn't supported. Videos can be MP4, MOV, 3GP, MKV, WebM, AVI, MPEG, MPEG-TS, FLV, WMV or Ogg files. To store it as it is, use POST /files/upload/file/b.",
    );
  });
  for (const other of [
    '',
    'text',
    '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n',
    'ffconcat version 1.0\nfile /etc/passwd',
    '<svg/>',
  ]) {
    test(`${JSON.stringify(other)} is not`, async () => {
      expect(await mediaTypeOf(text(other))).not.toBe('video');
    });
  }
});
