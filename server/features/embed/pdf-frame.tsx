import { Elysia } from 'elysia';
import { assets } from '../../web/assets/assets.ts';
import { makeNonce, pageHeaders } from '../../web/http/csp.ts';

/**
 * Returns the Content-Security-Policy of the page that draws a PDF. `sandbox` without 'allow-same-origin' gives it an
 * origin of its own, also where it is opened without a frame: three times, a crafted PDF could run scripts in pdf.js
 * (CVE-2018-5158, CVE-2024-4367, CVE-2026-16633). It loads only what is built, and only our pages frame it.
 */
const policyOf = (nonce: string) =>
  [
    'sandbox allow-scripts',
    "default-src 'none'",
    // pdf.js decodes scans by WebAssembly.
    `script-src 'nonce-${nonce}' 'strict-dynamic' 'wasm-unsafe-eval'`,
    'worker-src blob:',
    `style-src 'nonce-${nonce}'`,
    'img-src blob: data:',
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');

/** Mounts the page that draws a PDF, whose bytes the page around it sends. It reads no cookie and no file. */
export const pdfFramePages = () =>
  new Elysia({ name: 'pdf-frame-pages', detail: { hide: true } }).get('/embed/pdf', async () => {
    const { renderToStaticMarkup } = await import('react-dom/server');
    const { url } = assets();
    const nonce = makeNonce();
    const anyPart = url('pdf/openjpeg.wasm');
    const html = renderToStaticMarkup(
      <html lang="en">
        <head>
          <meta charSet="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          <title>PDF · Wharf</title>
          <link rel="stylesheet" href={url('pdf.css')} nonce={nonce} />
          <script type="module" src={url('pdf.js')} nonce={nonce} />
        </head>
        <body data-worker={url('pdf-worker.js')} data-parts={anyPart.replace(/[^/]+$/, '')}>
          <main aria-label="Pages" />
        </body>
      </html>,
    );
    return new Response(`<!doctype html>${html}`, {
      headers: {
        ...pageHeaders(nonce, { framedByAnyone: true }),
        'content-security-policy': policyOf(nonce),
      },
    });
  });
