import { describe, expect, test } from 'bun:test';
import { parsePastedRequest } from './parse-request.ts';

const parse = (text: string) => {
  const { headers, ...request } = parsePastedRequest(text);
  return { ...request, headers: Object.fromEntries(headers) };
};

describe('a pasted request', () => {
  test('is a curl command, over several lines and with any quotes', () => {
    const text = `$ curl -sS -X PUT 'https://s3.example.com/bucket/a%20b?x=1&y' \\
  -H "x-amz-date: 20260101T000000Z" --header='x-amz-meta-a: it'\\''s "new"' -T file.txt -o /dev/null`;
    expect(parse(text)).toEqual({
      ...{ method: 'PUT', rawPath: '/bucket/a%20b', rawQuery: 'x=1&y' },
      headers: {
        ...{ host: 's3.example.com', 'x-amz-date': '20260101T000000Z' },
        'x-amz-meta-a': 'it\'s "new"',
      },
    });
  });

  test.each([
    ["curl -I 'http://h:9000/b/k'", 'HEAD'],
    ['curl http://h:9000/b/k -T x', 'PUT'],
    ['curl --data-binary @x http://h:9000/b/k', 'POST'],
    ['curl http://h:9000/b/k', 'GET'],
    ['curl -XDELETE --url http://h:9000/b/k', 'DELETE'],
  ])('of %s has the method that curl sends', (text, method) => {
    expect(parse(text)).toMatchObject({ method, rawPath: '/b/k', headers: { host: 'h:9000' } });
  });

  test('is what HTTP sends, as curl -v shows it too', () => {
    const lines = [
      'GET /b/k?list-type=2 HTTP/1.1',
      'Host: s3.example.com',
      'X-Amz-Date: x',
      '',
      'body',
    ];
    const expected = {
      ...{ method: 'GET', rawPath: '/b/k', rawQuery: 'list-type=2' },
      headers: { host: 's3.example.com', 'x-amz-date': 'x' },
    };
    expect(parse(lines.join('\r\n'))).toEqual(expected);
    expect(parse(lines.map((line) => `> ${line}`).join('\n'))).toEqual(expected);
  });

  test('is a presigned URL', () => {
    expect(parse(' https://s3.example.com/b/k?X-Amz-Signature=ab ')).toEqual({
      ...{ method: 'GET', rawPath: '/b/k', rawQuery: 'X-Amz-Signature=ab' },
      headers: { host: 's3.example.com' },
    });
  });

  test.each([
    '',
    'hello',
    'GET /b/k HTTP/1.1',
    'curl',
    'curl -v',
    'GET https://h/ HTTP/1.1\nno header',
  ])('is refused where it is none: %p', (text) => {
    expect(() => parsePastedRequest(text)).toThrow(expect.objectContaining({ status: 422 }));
  });

  test('that curl would sign itself is refused with what to paste instead', () => {
    const text = "curl --aws-sigv4 'aws:amz:us-east-1:s3' -u key:secret https://h.example/b";
    expect(() => parsePastedRequest(text)).toThrow(
      expect.objectContaining({ text: expect.stringContaining('-v') }),
    );
  });

  test('of 16 KiB takes no time', () => {
    for (const text of ["curl 'x", '\\'.repeat(8000), "'".repeat(16_000), '"\\'.repeat(8000)]) {
      expect(() => parsePastedRequest(`curl ${text}`)).toThrow();
    }
  });
});
