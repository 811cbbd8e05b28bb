import { describe, expect, test } from 'bun:test';
import { readMultipart } from './multipart.ts';
import { boundaryOf, partsOfSmallForm } from './small-form.ts';

const TYPE = 'multipart/form-data; boundary=b';
const caller = { recheck: async () => {}, keepConnected: () => {} };

type Read = { fields: [string, string][]; files: [string, string | undefined, string][] };

/** Reads a form as the parser of streams does, or what it throws. A body without a length is never collected. */
async function readStreamed(body: Buffer, type = TYPE): Promise<Read | string> {
  const files: Read['files'] = [];
  const request = {
    headers: new Headers({ 'content-type': type }),
    body: new Blob([new Uint8Array(body)]).stream(),
  };
  try {
    const fields = await readMultipart(request, {
      maxBytes: 1_000_000,
      caller,
      async onFile({ field, fileName, body: bytes }) {
        const all = Buffer.concat(await Array.fromAsync(bytes));
        files.push([field, fileName, all.toString('latin1')]);
      },
    });
    return { fields: [...fields], files };
  } catch (error) {
    return (error as { text?: string }).text ?? String(error);
  }
}

/** Reads a form whose bytes are all there; null where the parser of streams has to. */
function readSmall(body: Buffer, type = TYPE): Read | null {
  const boundary = boundaryOf(type);
  const parts = boundary === null ? null : partsOfSmallForm(boundary, body);
  if (!parts) return null;
  const fields = new Map<string, string>();
  const files: Read['files'] = [];
  for (const { name, fileName, bytes } of parts)
    if (fileName === undefined) fields.set(name, bytes.toString());
    else files.push([name, fileName, bytes.toString('latin1')]);
  return { fields: [...fields], files };
}

const part = (headers: string, bytes: string) => `--b\r\n${headers}\r\n\r\n${bytes}\r\n`;
const field = (name: string, value: string) =>
  part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (name: string, bytes: string, type = 'image/jpeg') =>
  part(
    `Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}`,
    bytes,
  );
const END = '--b--\r\n';

describe('a small form that is written in the usual way is read without the parser, and as by it', () => {
  test.each([
    ['a file', file('a.jpg', 'bytes') + END],
    ['fields before and behind', field('a', '1') + file('a', 'x') + field('b', '') + END],
    ['a field twice', field('a', '1') + field('a', '2') + END],
    ['a name and a value in UTF-8', field('ä', 'ö €') + file('föto €.jpg', 'x') + END],
    ['bytes that are not UTF-8', field('a', '\xff') + file('\xe9.jpg', '\xff\0\r\n--\r\n-') + END],
    ['no file chosen', file('', '', 'application/octet-stream') + END],
    ['an empty name', field('', 'x') + END],
    ['line breaks in a file', file('a', '\r\n\r\n--a\r\n\r\n--') + END],
    ['no line break at the end', file('a', 'x') + END.trimEnd()],
    ['headers in small letters', part('content-disposition: form-data; name="a"', 'x') + END],
    [
      'a field with a type',
      part('Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain', 'x') + END,
    ],
    ['two files', file('a', 'x') + file('b', 'y') + END],
    ['a long value', field('a', 'x'.repeat(4096)) + END],
  ])('%s', async (_, text) => {
    const body = Buffer.from(text, 'latin1');
    const read = readSmall(body);
    expect(read).not.toBeNull();
    expect<unknown>(await readStreamed(body)).toEqual(read);
  });

  test.each(['multipart/form-data;boundary=b', 'Multipart/Form-Data; boundary="b"'])(
    'whose type is %s',
    async (type) => {
      const body = Buffer.from(file('a', 'x') + END);
      expect(readSmall(body, type)).not.toBeNull();
      expect<unknown>(await readStreamed(body, type)).toEqual(readSmall(body, type));
    },
  );
});

describe('the parser decides what becomes of a small form', () => {
  test.each([
    ['without an end', file('a', 'x')],
    [
      'that is cut off within a file',
      `${file('a', 'x')}--b\r\nContent-Disposition: form-data; name="x"`,
    ],
    ['without parts', END],
    ['with nothing in it', ''],
    ['of another boundary', file('a', 'x').replaceAll('--b', '--c') + END],
    ['with something before it', `hello\r\n${file('a', 'x')}${END}`],
    ['with something behind it', `${file('a', 'x')}${END}more`],
    ['with something behind a boundary', (file('a', 'x') + END).replace('--b--', '--bc')],
    [
      'with a header without a line of its own',
      `--b\r\nContent-Disposition: form-data; name="a"\r\n--b--\r\n`,
    ],
    [
      'whose headers end where the part does',
      `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n--b--\r\n`,
    ],
    ['without headers', part('', 'x') + END],
    [
      'with bytes of any type without a name',
      part(
        'Content-Disposition: form-data; name="a"\r\nContent-Type: application/octet-stream',
        'x',
      ) + END,
    ],
    [
      'with an encoded name',
      part(`Content-Disposition: form-data; name="file"; filename*=utf-8''a`, 'x') + END,
    ],
    ['with a quote in a name', file('a %22b%22', 'x') + END],
    ['with a backslash in a name', file('a\\"b', 'x') + END],
    ['with a folder in a name', file('a/b', 'x') + END],
    ['with a file called ..', file('..', 'x') + END],
    [
      'with a header of another name',
      part('X-Other: 1\r\nContent-Disposition: form-data; name="a"', 'x') + END,
    ],
    [
      'with a line break in a header',
      part('Content-Disposition: form-data; name="a\nb"', 'x') + END,
    ],
    [
      'with a charset',
      part(
        'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=latin1',
        '\xe9',
      ) + END,
    ],
    ['with a value that is too long', field('a', 'x'.repeat(4097)) + END],
    ['with three files', file('a', 'x').repeat(3) + END],
    [
      'with too many fields',
      Array.from({ length: 21 }, (_, n) => field(`${n}`, 'x')).join('') + END,
    ],
  ])('%s', (_, text) => {
    expect(readSmall(Buffer.from(text, 'latin1'))).toBeNull();
  });

  test.each([
    'multipart/form-data',
    'text/plain; boundary=b',
    'multipart/form-data; boundary=b; charset=x',
  ])('whose type is %s', (type) => expect(boundaryOf(type)).toBeNull());
});

test('what is made of any form without the parser is what the parser makes of it', async () => {
  const pieces = [
    ...['--b', '--b\r\n', '\r\n', '\r\n\r\n', '--b--', '--', 'x', '\xff', '"', ';', ' '],
    ...[field('a', '1'), file('a.jpg', 'x'), file('', ''), END, `\r\n${END}`],
    ...['Content-Disposition: form-data; name="a"', '; filename="b"', 'Content-Type: text/plain'],
  ];
  let seed = 1;
  const below = (limit: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  let read = 0;
  for (let round = 0; round < 3000; round += 1) {
    const chosen = Array.from({ length: 1 + below(4) }, () => pieces[below(pieces.length)]);
    const text =
      (below(2) === 0 ? file('a', 'x') : '') + chosen.join('') + (below(4) > 0 ? END : '');
    const body = Buffer.from(text, 'latin1');
    const small = readSmall(body);
    if (!small) continue;
    read += 1;
    expect<unknown>([text, await readStreamed(body)]).toEqual([text, small]);
  }
  expect(read).toBeGreaterThan(100);
});
