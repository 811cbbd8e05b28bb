import { describe, expect, test } from 'bun:test';
import { contentDisposition, deliveredName } from './content-disposition.ts';
import { isCues, isPlaylist, subjectHeaders } from './headers.ts';

test('only what names other objects is rewritten for a token', () => {
  const names = ['master.m3u8', 'previews.vtt', 'a.webp', 'seg.m4s'];
  expect(names.filter(isPlaylist)).toEqual(['master.m3u8']);
  expect(names.filter(isCues)).toEqual(['previews.vtt']);
});

test.each([
  ['photo.webp', 'inline; filename="photo.webp"'],
  ['Harbour at dawn (2).webp', 'inline; filename="Harbour at dawn (2).webp"'],
  ["it's; a=b, c.png", `inline; filename="it's; a=b, c.png"`],
  ['a"b.png', `inline; filename="a_b.png"; filename*=UTF-8''a%22b.png`],
  ['100%41.png', `inline; filename="100_41.png"; filename*=UTF-8''100%2541.png`],
  ['Müsli.png', `inline; filename="M_sli.png"; filename*=UTF-8''M%C3%BCsli.png`],
  ["¡'(*)'!.png", `inline; filename="_'(*)'!.png"; filename*=UTF-8''%C2%A1%27%28%2A%29%27!.png`],
  [
    '日本 😀.gif',
    `inline; filename="__ _.gif"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%20%F0%9F%98%80.gif`,
  ],
])('%s is told as %s', (name, header) => {
  expect(contentDisposition('inline', name)).toBe(header);
});

test('a name for a download differs by its type alone', () => {
  expect(contentDisposition('attachment', 'a.png')).toBe('attachment; filename="a.png"');
});

describe('whatever a file is called', () => {
  const names = [
    'a\r\nSet-Cookie: x=1\r\n\r\n<script>.png',
    'a\n.png',
    'a\0.png',
    '"; filename="evil.exe',
    "'; filename*=UTF-8''evil.exe",
    '\\".png',
    '../../etc/passwd',
    '..\\..\\boot.ini',
    'exe.\u202egnp',
    'a\u2028b\u0085c.png',
    'half a pair \ud800.png',
    '\u{10ffff}'.repeat(300),
    `${'x'.repeat(400)}.png`,
    '.png',
    '',
  ];
  test.each(names)('%j stays in its place, on one line, in ASCII', (name) => {
    const header = contentDisposition('inline', name);
    expect(header).toMatch(
      /^inline; filename="[ !#$&-.0-[\]-~]*"(; filename\*=UTF-8''([\w!#$&+.^`|~-]|%[0-9A-F]{2})*)?$/u,
    );
    expect(new Headers({ 'content-disposition': header }).get('content-disposition')).toBe(header);
    const encodedName = header.split("UTF-8''")[1];
    const meant = encodedName === undefined ? '' : decodeURIComponent(encodedName);
    expect(meant).not.toMatch(/[\p{Cc}\p{Cs}/\\\u202e]/u);
    expect(Buffer.byteLength(meant)).toBeLessThanOrEqual(255);
    expect(header.length).toBeLessThan(1200);
  });
});

test('a name that is too long keeps its ending', () => {
  expect(contentDisposition('inline', `${'ü'.repeat(300)}.webp`)).toEndWith('%C3%BC.webp');
});

test.each([
  ['Harbour at dawn.jpg', 'harbour-at-dawn.webp', 'harbour-at-dawn.webp', 'Harbour at dawn.webp'],
  ['clip.v2.mkv', 'master.m3u8', 'master.m3u8', 'clip.v2.m3u8'],
  ['clip.mkv', 'master.m3u8', 'poster.webp', 'clip-poster.webp'],
  ['clip.mkv', 'master.m3u8', '640x360/seg_00001.m4s', 'clip-640x360-seg_00001.m4s'],
  ['no ending', 'no-ending.png', 'no-ending.png', 'no ending.png'],
  ['.png', 'png.png', 'png.png', '.png.png'],
])('%s, opened as %s: %s is saved as %s', (name, entry, object, expected) => {
  expect(deliveredName({ name, entry, file_type: 'image' }, object)).toBe(expected);
});

/** Returns how a file with a content type is answered, of which `part` is what it is to a static site. */
function answerTo(content_type: string, sitePart: 'page' | 'not-found' | null) {
  const headers = subjectHeaders(
    {
      file: {
        ...{ id: 'f', name: 'a', file_type: 'file', content_type, access: 'public' },
        ...{ status: 'success', expires_at: null, headers: null },
      },
      bucket: { id: 'b', delivery_rules: null, ignores_public: 0 },
      ...{ name: 'a', entry: 'a', use: 'inline', isByPath: true, sitePart, isByAccept: false },
    },
    false,
  );
  const policy = headers['content-security-policy'] ?? '';
  return {
    isShown: headers['content-disposition']?.startsWith('inline'),
    runs: policy.includes('allow-scripts'),
    isIsolated: / sandbox$|^sandbox allow-scripts$/.test(policy),
  };
}

test.each([
  ...['text/html', 'Text/HTML; charset=utf-8', 'application/xhtml+xml', 'text/xml', 'TEXT/XSL'],
  ...['image/svg+xml', 'application/rss+xml', 'text/javascript', 'application/ecmascript'],
  ...['application/pdf', 'Application/PDF', 'multipart/x-mixed-replace; boundary=a'],
  ...['multipart/related', 'message/rfc822', 'application/x-mimearchive'],
])('a file of the type %s is saved, and only HTML is a page of a static site', (type) => {
  expect(answerTo(type, null)).toEqual({ isShown: false, runs: false, isIsolated: true });
  const isPage = /^text\/html/i.test(type);
  for (const part of ['page', 'not-found'] as const) {
    expect(answerTo(type, part)).toEqual({ isShown: isPage, runs: isPage, isIsolated: true });
  }
});

test.each(['text/plain; charset=utf-8', 'text/css', 'application/json', 'audio/mpeg', 'text/htm'])(
  'a file of the type %s is shown, and runs nothing',
  (type) => {
    const shown = { isShown: true, runs: false, isIsolated: true };
    expect(answerTo(type, null)).toEqual(shown);
    expect(answerTo(type, 'page')).toEqual(shown);
  },
);
