import { expect, test } from 'bun:test';
import { normalizeDisposition } from './content-disposition.ts';

test.each([
  // .NET, without quotes and with them.
  [`form-data; name=file; filename=photo.jpg; filename*=utf-8''f%C3%B6to.jpg`, 'föto.jpg'],
  [`form-data; name="file"; filename="photo.jpg"; filename*=utf-8''f%C3%B6to.jpg`, 'föto.jpg'],
  [`form-data; name="file"; filename="=?utf-8?B?ZsO2dG8=?="; filename*=utf-8''f%C3%B6to`, 'föto'],
  // In another order.
  [`form-data; name="file"; filename*=UTF-8'en'f%C3%B6to.jpg; filename="photo.jpg"`, 'föto.jpg'],
  [`form-data; filename*=UTF-8''f%C3%B6to.jpg; filename=photo.jpg; name=file`, 'föto.jpg'],
  [`form-data; name="file"; filename*=iso-8859-1''f%F6to.jpg`, 'föto.jpg'],
  [`form-data; name="file"; filename*="UTF-8''a%22b.jpg"`, 'a"b.jpg'],
  // What can't be decoded leaves the plain name.
  [`form-data; name="file"; filename="photo.jpg"; filename*=utf-8''%FF`, 'photo.jpg'],
  [`form-data; name="file"; filename="photo.jpg"; filename*=klingon''a`, 'photo.jpg'],
  [`form-data; name="file"; filename="photo.jpg"; filename*=a`, 'photo.jpg'],
  // Browsers and curl.
  ['form-data; name="file"; filename="a %22b%22.jpg"', 'a "b".jpg'],
  ['form-data; name="file"; filename="f\u00c3\u00b6 %22.jpg"', 'fö ".jpg'],
  ['form-data; name="fi;le"; filename="a;b \\" \\\\ %22.jpg"', 'a;b " \\ ".jpg'],
])('%s has the name %s', (header, name) => {
  const normalized = normalizeDisposition(header);
  expect(normalized).toEndWith(`; filename*=utf-8''${encodeURIComponent(name)}`);
  expect(normalized).toContain(/name="[^"]*"|name=file/.exec(header)?.[0] ?? '');
});

test.each([
  'form-data; name="file"; filename="photo.jpg"',
  'form-data; name="a%22b"',
  'form-data; name="file"; filename="100%.jpg"',
  "form-data; filename*=utf-8''a.jpg",
  'attachment',
  '',
])('%s stays as it is', (header) => {
  expect(normalizeDisposition(header)).toBe(header);
});
