import { PDF_TIMEOUT_MS, type PdfMessage } from '../../../server/contract/files/pdf-preview.ts';
import { openPdf } from './open-pdf.ts';
import { showPages } from './pages.ts';

/** The frame has no origin of its own, so nothing more exact can be named than any receiver. */
const tell = (message: PdfMessage) => parent.postMessage(message, '*');

/** Draws a PDF, and tells the page around the frame whether that worked. */
async function show(bytes: ArrayBuffer) {
  const timer = setTimeout(() => tell({ type: 'failed', reason: 'slow' }), PDF_TIMEOUT_MS);
  const main = document.querySelector('main');
  try {
    const pdf = await openPdf(new Uint8Array(bytes));
    if (main) await showPages(pdf, main);
    tell({ type: 'shown' });
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    tell({ type: 'failed', reason: isLocked ? 'locked' : 'damaged' });
  } finally {
    clearTimeout(timer);
  }
}

addEventListener('message', ({ source, data }) => {
  if (source === parent && data instanceof ArrayBuffer) void show(data);
});
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') tell({ type: 'escape' });
});
tell({ type: 'ready' });
