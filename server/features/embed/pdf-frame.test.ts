import { expect, test } from 'bun:test';
import { PDF_FRAME } from '../../contract/files/pdf-preview.ts';
import { pdfFramePages } from './pdf-frame.tsx';

const get = () => pdfFramePages().handle(new Request(`http://localhost${PDF_FRAME}`));

test('the page that draws PDFs has no origin of ours, and only our pages frame it', async () => {
  const policy = (await get()).headers.get('content-security-policy') ?? '';
  expect(policy).toContain('sandbox allow-scripts;');
  expect(policy).not.toContain('allow-same-origin');
  expect(policy).not.toContain("'unsafe-eval'");
  expect(policy).toContain("frame-ancestors 'self'");
});

test('each response has a nonce of its own', async () => {
  const nonceOf = async () => /nonce="([^"]+)"/.exec(await (await get()).text())?.[1];
  const [one, two] = [await nonceOf(), await nonceOf()];
  expect(one).toBeString();
  expect(one).not.toBe(two);
});
