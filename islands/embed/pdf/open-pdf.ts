import {
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentProxy,
  VerbosityLevel,
} from 'pdfjs-dist';

/** A larger image in a PDF is left out: four bytes for each pixel are held in memory. */
const MAX_IMAGE_PIXELS = 32 * 1024 * 1024;

/**
 * Opens a PDF with pdf.js, whose parser runs in a worker. Neither its scripting nor XFA forms are part of this, which
 * both have run scripts of a PDF before (CVE-2026-16633).
 * @throws PasswordException where the PDF needs a password, others where it can't be read
 */
export async function openPdf(data: Uint8Array<ArrayBuffer>): Promise<PDFDocumentProxy> {
  const { worker = '', parts = '' } = document.body.dataset;
  GlobalWorkerOptions.workerPort = await startWorker(new URL(worker, document.baseURI).href);
  const partsUrl = new URL(parts, document.baseURI).href;
  return getDocument({
    data,
    // Decoders of scans and encodings of Chinese, Japanese and Korean, which are loaded where a PDF needs them.
    wasmUrl: partsUrl,
    cMapUrl: partsUrl,
    enableXfa: false,
    disableWorkerRendering: true,
    maxImageSize: MAX_IMAGE_PIXELS,
    verbosity: VerbosityLevel.ERRORS,
  }).promise;
}

/**
 * Starts the worker, and waits until it listens. A page without an origin can't start one by the URL of a file, but by
 * that of its own blob. Chromium refuses module workers there, but not the import of a module by a classic one.
 */
function startWorker(url: string): Promise<Worker> {
  const code = `import(${JSON.stringify(url)}).catch((error) => reportError(error));`;
  const blob = new Blob([code], { type: 'text/javascript' });
  const worker = new Worker(URL.createObjectURL(blob));
  const { promise, resolve, reject } = Promise.withResolvers<Worker>();
  worker.addEventListener('message', () => resolve(worker), { once: true });
  worker.addEventListener('error', ({ message }) => reject(new Error(message)), { once: true });
  return promise;
}
