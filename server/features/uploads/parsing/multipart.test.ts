import { expect, test } from 'bun:test';
import { readMultipart } from './multipart.ts';

const START =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\nthe first bytes';

test('a form that takes too long is ended in the middle of its file', async () => {
  const body = new ReadableStream<Uint8Array>({
    // The client sends nothing more, and does not close the connection either.
    start: (controller) => controller.enqueue(new TextEncoder().encode(START)),
  });
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const request = new Request('http://localhost/', { method: 'POST', headers, body });
  let received = '';
  const reading = readMultipart(request, {
    maxBytes: 1000,
    caller: { recheck: async () => {}, keepConnected: () => {} },
    timeoutMs: 1000,
    async onFile(part) {
      for await (const bytes of part.body) received += new TextDecoder().decode(bytes);
    },
  });
  await expect(reading).rejects.toMatchObject({
    status: 409,
    text: 'The upload took too long. Try again.',
  });
  expect(received).toStartWith('the first');
});

test.each([
  ['.NET', `name=file; filename=x; filename*=utf-8''f%C3%B6to.jpg`, 'föto.jpg'],
  ['Python', `name="file"; filename*=utf-8''f%C3%B6to.jpg`, 'föto.jpg'],
  ['a client that sends both', `name="file"; filename="x"; filename*=UTF-8''a.jpg`, 'a.jpg'],
  ['a browser', 'name="file"; filename="a %22b%22.jpg"', 'a "b".jpg'],
  ['an older curl', 'name="file"; filename="a \\"b\\".jpg"', 'a "b".jpg'],
  ['any client', 'name="file"; filename="föto.jpg"', 'föto.jpg'],
])('the name of a file is read as %s sends it', async (_, parameters, name) => {
  const body = `--b\r\nContent-Disposition: form-data; ${parameters}\r\n\r\nbytes\r\n--b--\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const request = new Request('http://localhost/', { method: 'POST', headers, body });
  const files: unknown[] = [];
  await readMultipart(request, {
    maxBytes: 1000,
    caller: { recheck: async () => {}, keepConnected: () => {} },
    async onFile({ field, fileName, body: bytes }) {
      files.push([field, fileName, Buffer.concat(await Array.fromAsync(bytes)).toString()]);
    },
  });
  expect(files).toEqual([['file', name, 'bytes']]);
});

test('a file has the fields before it, also where those behind it come with the same bytes', async () => {
  const field = (value: string) =>
    `--b\r\nContent-Disposition: form-data; name="id"\r\n\r\n${value}\r\n`;
  const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbytes\r\n';
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const body = `${field('before')}${file}${field('behind')}--b--\r\n`;
  const request = new Request('http://localhost/', { method: 'POST', headers, body });
  const seen: (string | undefined)[] = [];
  const fields = await readMultipart(request, {
    maxBytes: 1000,
    caller: { recheck: async () => {}, keepConnected: () => {} },
    async onFile(part) {
      seen.push(part.fields.get('id'));
      await Array.fromAsync(part.body);
    },
  });
  expect([...seen, fields.get('id')]).toEqual(['before', 'behind']);
});
