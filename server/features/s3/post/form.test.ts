import { expect, test } from 'bun:test';
import { readForm } from './form.ts';

const part = (name: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
const FILE = `${part('key')}k\r\n${part('file', '; filename="a"')}half of the `;

/** Returns a form whose client never ends it, and whether it was told to stop. */
function endless(text: string) {
  let isStopped = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from(text)),
    cancel: () => {
      isStopped = true;
    },
  });
  const headers = new Headers({ 'content-type': 'multipart/form-data; boundary=b' });
  return { form: { headers, body }, isStopped: () => isStopped };
}

const refuse = async () => {
  throw new Error('nobody has allowed this form');
};

test('a form that nobody has allowed does not hold its connection for as long as it likes', async () => {
  for (const text of ['', part('key'), FILE]) {
    const { form, isStopped } = endless(text);
    const reading = readForm(form, 100, refuse, { unacceptedMs: 1 });
    expect(await reading.catch((error) => error.code)).toBe('RequestTimeout');
    expect(isStopped()).toBe(true);
  }
});

test('neither does one that is refused after it was allowed', async () => {
  const { form, isStopped } = endless(FILE);
  const refuseLater = async (_: unknown, accept: () => void) => {
    accept();
    await refuse();
  };
  const reading = readForm(form, 100, refuseLater, { unacceptedMs: 1 });
  expect(await reading.catch((error) => error.code)).toBe('RequestTimeout');
  expect(isStopped()).toBe(true);
});
