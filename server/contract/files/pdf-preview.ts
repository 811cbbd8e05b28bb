import { MIB, SECOND } from '../limits.ts';

/**
 * The path of the page that draws a PDF. It is shown in a sandboxed frame and has no origin, so what a PDF makes of the
 * reader has neither our cookies, our storage nor our API.
 */
export const PDF_FRAME = '/embed/pdf';

/** A larger PDF is not shown, as a browser holds it in memory several times. */
export const MAX_PDF_BYTES = 32 * MIB;
/** So many pages of a PDF are shown. */
export const MAX_PDF_PAGES = 100;
/** After this time a PDF, or a page of it, is given up. */
export const PDF_TIMEOUT_MS = 20 * SECOND;
/** The page around the frame gives it up after this time, as a PDF may keep the frame from measuring its own. */
export const PDF_PAGE_TIMEOUT_MS = 1.5 * PDF_TIMEOUT_MS;

/** Why a PDF isn't shown: it needs a password, it can't be read, or it takes too long. */
export type PdfFailure = 'locked' | 'damaged' | 'slow';

/** What the frame tells the page around it. The page sends the bytes of the PDF once the frame is `ready`. */
export type PdfMessage =
  | { type: 'ready' | 'shown' | 'escape' }
  | { type: 'failed'; reason: PdfFailure };

const FAILURES: readonly unknown[] = ['locked', 'damaged', 'slow'] satisfies PdfFailure[];

/** Returns a message of the frame, or null for anything else, as a PDF may have taken the frame over. */
export function parsePdfMessage(data: unknown): PdfMessage | null {
  if (typeof data !== 'object' || data === null || !('type' in data)) return null;
  const { type } = data;
  if (type === 'ready' || type === 'shown' || type === 'escape') return { type };
  if (type !== 'failed' || !('reason' in data) || !FAILURES.includes(data.reason)) return null;
  return { type, reason: data.reason as PdfFailure };
}
