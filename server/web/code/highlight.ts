import type { HLJSApi, LanguageFn } from 'highlight.js';
import { memoizeAsync } from '../../contract/memoize.ts';

/** Returns code as HTML with its words in classes, or null for a language without colours. */
export type Highlight = (code: string, language: string) => string | null;

/** What the languages of our samples are called by the library. */
const LANGUAGES: Record<string, () => Promise<{ default: LanguageFn }>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  css: () => import('highlight.js/lib/languages/css'),
  ini: () => import('highlight.js/lib/languages/ini'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  nginx: () => import('highlight.js/lib/languages/nginx'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  sql: () => import('highlight.js/lib/languages/sql'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

/** The languages that our samples name, beside those of the library. */
const ALIASES: Record<string, string> = {
  curl: 'bash',
  sh: 'bash',
  console: 'bash',
  js: 'javascript',
  ts: 'typescript',
  html: 'xml',
};

/**
 * Loads what colours code on the server: the browser gets classes, and no script. Pages are rendered once, so it is
 * loaded with the first of them.
 */
export const loadHighlight: () => Promise<Highlight> = memoizeAsync(async () => {
  const { default: library } = await import('highlight.js/lib/core');
  await Promise.all(
    Object.entries(LANGUAGES).map(async ([name, load]) =>
      library.registerLanguage(name, (await load()).default),
    ),
  );
  return (code, language) => highlight(library, code, ALIASES[language] ?? language);
});

function highlight(library: HLJSApi, code: string, language: string): string | null {
  return library.getLanguage(language) ? library.highlight(code, { language }).value : null;
}
