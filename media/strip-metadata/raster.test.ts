import { afterAll, describe, expect, test } from 'bun:test';
import { sharp } from '../image/sharp.ts';
import { MediaFailure } from '../media-failure.ts';
import { cleanBytes } from '../testing/clean-bytes.ts';
import { scratch } from '../testing/clips.ts';
import { picture, pixels, SECRETS, telltale } from '../testing/pictures.ts';

const folder = scratch();
afterAll(folder.remove);

const encoders = {
  jpeg: (turn: number) => telltale(turn).jpeg(),
  'progressive jpeg': (turn: number) => telltale(turn, 200, 130).jpeg({ progressive: true }),
  'cmyk jpeg': (turn: number) => telltale(turn).toColourspace('cmyk').jpeg(),
  png: (turn: number) => telltale(turn).png(),
  webp: (turn: number) => telltale(turn).webp(),
  'lossless webp': (turn: number) => telltale(turn).webp({ lossless: true }),
};
const formatOf = (name: string) =>
  name.includes('jpeg') ? 'jpeg' : name.includes('webp') ? 'webp' : 'png';

describe.each(Object.entries(encoders))('%s', (name, encode) => {
  const format = formatOf(name);

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'turned by %d looks the same, tells nothing',
    async (turn) => {
      const original = await encode(turn).toBuffer();
      const before = await sharp(original).metadata();
      expect(before.exif).toBeDefined();
      expect(before.xmp).toBeDefined();
      const cleaned = await cleanBytes(folder.path, original, format, before.orientation);

      expect((await pixels(cleaned)).equals(await pixels(original))).toBe(true);
      const after = await sharp(cleaned).metadata();
      expect(after.autoOrient).toEqual(before.autoOrient);
      expect(after.icc?.equals(before.icc ?? Buffer.of())).toBe(true);
      expect(after.xmp).toBeUndefined();
      expect(after.orientation).toBe(turn === 1 ? undefined : turn);
      for (const secret of SECRETS) expect(cleaned.includes(secret)).toBe(false);
      const second = await cleanBytes(folder.path, cleaned, format, turn);
      expect(second.equals(cleaned)).toBe(true);
    },
  );

  test('what follows the image is dropped', async () => {
    const original = await encode(1).toBuffer();
    const cleaned = await cleanBytes(folder.path, original, format);
    const more = Buffer.concat([original, Buffer.from('SEFT motion photo video')]);
    expect((await cleanBytes(folder.path, more, format)).equals(cleaned)).toBe(true);
  });

  test('an image cut off anywhere is refused, and fast', async () => {
    const original = await encode(6).toBuffer();
    const cleaned = await cleanBytes(folder.path, original, format, 6);
    for (let length = 0; length < cleaned.length - 1; length += length < 64 ? 1 : 37) {
      const cut = cleanBytes(folder.path, cleaned.subarray(0, length), format, 6);
      await expect(cut).rejects.toBeInstanceOf(MediaFailure);
    }
  });

  test('damaged structures never hang or crash', async () => {
    const original = await encode(1).toBuffer();
    for (let seed = 1; seed <= 150; seed += 1) {
      const corrupt = Buffer.from(original);
      for (let at = seed % 16; at < corrupt.length; at += 13 + ((seed * 31) % 200)) {
        corrupt[at] = (seed * 97 + at * 7) % 256;
      }
      const outcome = await cleanBytes(folder.path, corrupt, format).catch((error) => error);
      expect(outcome instanceof Buffer || outcome instanceof MediaFailure).toBe(true);
    }
  });
});

const segment = (marker: number, text: string) => {
  const body = Buffer.from(text, 'latin1');
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
};

describe('JPEG', () => {
  test('comments and application data go, even between the scans of a progressive file', async () => {
    const original = await picture(200, 130).jpeg({ progressive: true }).toBuffer();
    const scans: number[] = [];
    for (let at = 0; at >= 0; at = original.indexOf('ffda', at + 1, 'hex'))
      if (at > 0) scans.push(at);
    expect(scans.length).toBeGreaterThan(3);
    const parts = [0, ...scans].map((at, index) => {
      const hidden = index === 0 ? [] : [segment(0xe1, 'Exif\0\0secret'), segment(0xed, 'secret')];
      return Buffer.concat([...hidden, original.subarray(at, scans[index])]);
    });
    const cleaned = await cleanBytes(folder.path, Buffer.concat(parts), 'jpeg');
    expect(cleaned.includes('secret')).toBe(false);
    expect((await pixels(cleaned)).equals(await pixels(original))).toBe(true);
  });

  test('comments, IPTC, multi-picture indexes and other vendors’ data go', async () => {
    const original = await picture().jpeg().toBuffer();
    const hidden = [
      segment(0xfe, 'secret comment'),
      segment(0xed, 'Photoshop 3.0\0secret'),
      segment(0xe2, 'MPF\0secret'),
      segment(0xe0, 'JFXX\0secret thumbnail'),
      segment(0xe5, 'secret vendor'),
      segment(0xe2, 'ICC_PROFILE_secret'),
    ];
    const input = Buffer.concat([original.subarray(0, 2), ...hidden, original.subarray(2)]);
    const cleaned = await cleanBytes(folder.path, input, 'jpeg');
    expect(cleaned.includes('secret')).toBe(false);
    expect(cleaned.equals(await cleanBytes(folder.path, original, 'jpeg'))).toBe(true);
  });

  test('the small picture in a JFIF header goes, its header stays', async () => {
    const original = await picture().jpeg().toBuffer();
    const jfif = segment(0xe0, `JFIF\0\x01\x01\0\0\x01\0\x01\x02\x01${'secret'}`);
    const start = original.indexOf('ffdb', 0, 'hex');
    const input = Buffer.concat([original.subarray(0, 2), jfif, original.subarray(start)]);
    const cleaned = await cleanBytes(folder.path, input, 'jpeg');
    expect(cleaned.includes('secret')).toBe(false);
    expect(cleaned.includes('JFIF')).toBe(true);
    expect((await pixels(cleaned)).equals(await pixels(original))).toBe(true);
  });

  test('stray bytes and fill bytes between segments are forgiven, as decoders do', async () => {
    const original = await picture().jpeg().toBuffer();
    const at = original.indexOf('ffdb', 0, 'hex');
    const stray = Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xff]);
    const input = Buffer.concat([original.subarray(0, at), stray, original.subarray(at)]);
    const cleaned = await cleanBytes(folder.path, input, 'jpeg');
    expect(cleaned.equals(await cleanBytes(folder.path, original, 'jpeg'))).toBe(true);
  });
});

describe('PNG', () => {
  test('transparency and gamma stay, texts and unknown chunks go', async () => {
    const { crc32 } = await import('node:zlib');
    const chunk = (type: string, body: Buffer) => {
      const bytes = Buffer.alloc(body.length + 12);
      bytes.writeUInt32BE(body.length, 0);
      bytes.write(type, 4, 'latin1');
      body.copy(bytes, 8);
      bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + body.length)), 8 + body.length);
      return bytes;
    };
    const original = await picture().png().toBuffer();
    const gamma = chunk('gAMA', Buffer.from([0, 0, 0xb1, 0x8f]));
    const hidden = ['tEXt', 'iTXt', 'zTXt', 'tIME', 'eXIf', 'teSt', 'caBX'].map((type) =>
      chunk(type, Buffer.from('secret')),
    );
    const input = Buffer.concat([
      original.subarray(0, 33),
      gamma,
      ...hidden,
      original.subarray(33),
    ]);
    const cleaned = await cleanBytes(folder.path, input, 'png');
    expect(cleaned.includes('secret')).toBe(false);
    expect(cleaned.includes(gamma)).toBe(true);
  });
});

describe('WebP', () => {
  test('the container says what is left in it', async () => {
    const original = await telltale(1).webp().toBuffer();
    const cleaned = await cleanBytes(folder.path, original, 'webp');
    expect(cleaned.readUInt32LE(4)).toBe(cleaned.length - 8);
    expect(cleaned.toString('latin1', 12, 16)).toBe('VP8X');
    expect((cleaned[20] ?? 0) & 0x0c).toBe(0);
    expect((cleaned[20] ?? 0) & 0x20).toBe(0x20);
  });

  test('unknown chunks go', async () => {
    const original = await telltale(1).webp().toBuffer();
    const input = Buffer.concat([original, Buffer.from('oops\x06\0\0\0secret', 'latin1')]);
    input.writeUInt32LE(input.length - 8, 4);
    expect((await cleanBytes(folder.path, input, 'webp')).includes('secret')).toBe(false);
  });
});
