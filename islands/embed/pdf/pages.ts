import type { PDFDocumentProxy, PDFPageProxy, RenderTask } from 'pdfjs-dist';
import { MAX_PDF_PAGES, PDF_TIMEOUT_MS } from '../../../server/contract/files/pdf-preview.ts';

/** A page is drawn with at most so many pixels, which a canvas holds in memory. */
const MAX_CANVAS_PIXELS = 4 * 1024 * 1024;
/** So much of a page's text is read out. */
const MAX_TEXT_LENGTH = 20_000;

/**
 * Shows the pages of a PDF below each other. A page is drawn when it is near the visible ones, and its canvas is
 * released when it is not. Resolves when the first page is drawn, and rejects where it can't be.
 */
export async function showPages(pdf: PDFDocumentProxy, main: HTMLElement): Promise<void> {
  const first = await pdf.getPage(1);
  const { width, height } = first.getViewport({ scale: 1 });
  const count = Math.min(pdf.numPages, MAX_PDF_PAGES);
  const pages = Array.from({ length: count }, (_, at) => {
    const figure = document.createElement('figure');
    figure.setAttribute('aria-label', `Page ${at + 1} of ${pdf.numPages}`);
    // Most documents have pages of one size; another page takes its own when it is drawn.
    figure.style.aspectRatio = `${width} / ${height}`;
    return figure;
  });
  main.append(...pages);
  if (count < pdf.numPages) main.append(noteOf(`The first ${count} of ${pdf.numPages} pages.`));
  const [figure] = pages;
  if (figure) await new Drawing(figure, async () => first).draw();
  const drawings = new Map(
    pages.map((page, at) => [page, new Drawing(page, () => pdf.getPage(at + 1))] as const),
  );
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const drawing = drawings.get(target as HTMLElement);
        if (isIntersecting) void drawing?.draw().catch(() => drawing.fail());
        else drawing?.release();
      }
    },
    // Without a root, a margin has no effect in a frame of another origin.
    { root: document, rootMargin: '100% 0%' },
  );
  for (const page of pages) observer.observe(page);
}

const noteOf = (text: string) => Object.assign(document.createElement('p'), { textContent: text });

/** One page, which is drawn, released, and drawn again. */
class Drawing {
  private task: RenderTask | null = null;
  private isDrawn = false;

  constructor(
    private readonly figure: HTMLElement,
    private readonly load: () => Promise<PDFPageProxy>,
  ) {}

  async draw() {
    if (this.isDrawn) return;
    this.isDrawn = true;
    const page = await this.load();
    if (!this.isDrawn) return;
    const natural = page.getViewport({ scale: 1 });
    this.figure.style.aspectRatio = `${natural.width} / ${natural.height}`;
    const canvas = document.createElement('canvas');
    canvas.ariaHidden = 'true';
    const scale = scaleOf(natural, this.figure.clientWidth * devicePixelRatio);
    const viewport = page.getViewport({ scale });
    Object.assign(canvas, {
      width: Math.max(1, Math.floor(viewport.width)),
      height: Math.max(1, Math.floor(viewport.height)),
    });
    const task = page.render({ canvas, viewport });
    this.task = task;
    const timer = setTimeout(() => task.cancel(), PDF_TIMEOUT_MS);
    await task.promise.finally(() => clearTimeout(timer));
    if (!this.isDrawn) return;
    this.figure.replaceChildren(canvas, noteOf(await textOf(page)));
  }

  /** Says in place of the page that it can't be drawn. One that was released meanwhile is drawn again later. */
  fail() {
    if (this.isDrawn) this.figure.replaceChildren(noteOf('This page can’t be shown.'));
    this.figure.classList.toggle('failed', this.isDrawn);
  }

  release() {
    if (!this.isDrawn) return;
    this.isDrawn = false;
    this.task?.cancel();
    // A canvas without pixels gives its memory back at once.
    for (const canvas of this.figure.querySelectorAll('canvas')) canvas.width = 0;
    this.figure.replaceChildren();
  }
}

/** Returns the scale at which a page is `width` pixels wide, or less where that would be too many pixels. */
function scaleOf(page: { width: number; height: number }, width: number): number {
  const most = Math.sqrt(MAX_CANVAS_PIXELS / (page.width * page.height));
  return Math.min(width / page.width, most);
}

/** Returns the text of a page for screen readers, for which a canvas is empty. */
async function textOf(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''));
  return text.join('').slice(0, MAX_TEXT_LENGTH);
}
