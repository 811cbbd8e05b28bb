import { KIB } from '../../../server/contract/limits.ts';

/** How much of a text is shown. */
export const MAX_TEXT_BYTES = 100 * KIB;

const TEXT_TYPE =
  /^text\/|^application\/(?:.+\+)?(?:json|xml|yaml|toml)$|javascript|ecmascript|x-sh$|sql$/;
const TEXT_NAME =
  /\.(?:txt|md|csv|tsv|log|ini|cfg|conf|env|ya?ml|toml|json[5l]?|xml|html?|css|s[ac]ss|less|[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|sh|bash|zsh|ps1|sql|lua|pl|r|vue|svelte|tf|dockerfile|diff|patch|srt|vtt|tex)$|(?:^|\/)(?:Dockerfile|Makefile|README|LICENSE)$/i;

/** Whether a file that is stored as it is holds text, as far as its type and its name tell. */
export const isTextFile = (file: { file_type: string; content_type: string; name: string }) =>
  file.file_type === 'file' && (TEXT_TYPE.test(file.content_type) || TEXT_NAME.test(file.name));

/**
 * Loads the beginning of a text; null where it is none. It never becomes part of a page as HTML. Rejects where the
 * file can't be loaded.
 */
export async function loadText(url: string, signal: AbortSignal): Promise<string | null> {
  const headers = { range: `bytes=0-${MAX_TEXT_BYTES - 1}` };
  const response = await fetch(url, { headers, signal, credentials: 'omit' });
  if (!response.ok || !response.body) throw new Error(`The file answers ${response.status}.`);
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let [text, rest] = ['', MAX_TEXT_BYTES];
  // A cache between may ignore the range.
  while (rest > 0) {
    const { value } = await reader.read();
    if (!value) break;
    text += decoder.decode(value.subarray(0, rest), { stream: true });
    rest -= value.length;
  }
  void reader.cancel();
  return text.includes('\0') ? null : text;
}
