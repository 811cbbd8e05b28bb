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
    timeoutMs: 20,
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
