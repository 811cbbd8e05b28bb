import { MAX_PDF_BYTES } from '../../../server/contract/files/pdf-preview.ts';

/** Whether a file that is stored as it is holds a PDF, as far as its type tells. */
export const isPdfFile = (file: { file_type: string; content_type: string }) =>
  file.file_type === 'file' && file.content_type === 'application/pdf';

/** Loads a PDF whole. Rejects where it can't be loaded, or is larger than what is shown. */
export async function loadPdf(url: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await fetch(url, { signal, credentials: 'omit' });
  if (!response.ok || !response.body) throw new Error(`The file answers ${response.status}.`);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body.getReader();
  let size = 0;
  for (;;) {
    const { value } = await reader.read();
    if (!value) break;
    size += value.length;
    if (size > MAX_PDF_BYTES) {
      await reader.cancel();
      throw new Error('The file is larger than it was.');
    }
    parts.push(value);
  }
  return new Blob(parts).arrayBuffer();
}
