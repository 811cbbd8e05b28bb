import { expect, test } from 'bun:test';
import { isTextFile, loadText, MAX_TEXT_BYTES } from './text-file.ts';

test('a file is text by its type or its name', () => {
  const file = (content_type: string, name = 'a', file_type = 'file') =>
    isTextFile({ content_type, name, file_type });
  for (const type of ['text/html', 'text/plain; charset=utf-8', 'application/json']) {
    expect(file(type)).toBe(true);
  }
  for (const name of ['main.rs', 'a/Dockerfile', 'config.YML', 'data.jsonl']) {
    expect(file('application/octet-stream', name)).toBe(true);
  }
  expect(file('application/pdf', 'a.pdf')).toBe(false);
  expect(file('application/vnd.oasis.opendocument.text', 'a.odt')).toBe(false);
  expect(file('text/plain', 'a.txt', 'image')).toBe(false);
});

test('the beginning of a text is loaded, whole characters only, and no binary file', async () => {
  const long = 'ä'.repeat(MAX_TEXT_BYTES);
  const bodies: Record<string, string> = { '/long': `x${long}`, '/zero': 'a\0b', '/short': '<b>' };
  using server = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      const body = bodies[new URL(url).pathname];
      return body ? new Response(body) : new Response('', { status: 404 });
    },
  });
  const load = (path: string) =>
    loadText(`${server.url.origin}${path}`, new AbortController().signal);
  const text = (await load('/long')) ?? '';
  expect(text).toBe(`x${'ä'.repeat((MAX_TEXT_BYTES - 2) / 2)}`);
  expect(await load('/short')).toBe('<b>');
  expect(await load('/zero')).toBeNull();
  await expect(load('/none')).rejects.toThrow('404');
});
