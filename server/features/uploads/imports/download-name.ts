import type { Download } from '../../../platform/outbound/download.ts';
import { fileNameOf } from '../parsing/content-disposition.ts';

/**
 * Returns the name under which a browser would save a download: the one that the server sends, or the last part of the
 * URL's path. Undefined where there is neither.
 */
export function downloadName({
  url,
  disposition,
}: Pick<Download, 'url' | 'disposition'>): string | undefined {
  return (disposition && fileNameOf(disposition)) || lastPartOf(url);
}

function lastPartOf({ pathname }: URL): string | undefined {
  const last = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || undefined;
  } catch {
    return last;
  }
}
