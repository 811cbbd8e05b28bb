import { rawHtml } from '../http/raw-html.ts';
import type { Highlight } from './highlight.ts';

/** A `code` element with colours, where its language has any. */
export function CodeText({
  code,
  language,
  highlight,
}: {
  code: string;
  language: string;
  highlight: Highlight | null;
}) {
  const html = highlight?.(code, language) ?? null;
  return html === null ? <code>{code}</code> : <code {...rawHtml(html)} />;
}
