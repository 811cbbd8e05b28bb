import { MESSAGES } from '../../server/contract/messages.ts';

/**
 * Puts text into the clipboard. Says, in the specification's words, how it went. Browsers have no
 * clipboard on plain http, but for localhost.
 */
export async function copyText(text: string): Promise<{ copied: boolean; message: string }> {
  if (text === '') return { copied: false, message: MESSAGES.nothingToCopy };
  try {
    await navigator.clipboard.writeText(text);
    return { copied: true, message: MESSAGES.copied };
  } catch {
    return { copied: false, message: MESSAGES.copyFailed };
  }
}
