import { formatLocalTime } from '../../server/contract/dates/format.ts';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { copyText } from '../page/copy.ts';
import { call } from '../runtime/api.ts';
import { notify } from '../runtime/notify.ts';
import { downloadUrl, expiryOf, viewUrl } from './file-url.ts';

/** Loads a read token that is valid for one file and one hour. */
export const loadFileToken = async (bucketId: string, fileId: string): Promise<string> => {
  const params = { bucketID: bucketId, fileID: fileId };
  return (await call('GET /files/:bucketID/:fileID', { params })).jwt;
};

/**
 * Copies a text with a URL of a file. For a private file it loads a token first, and says until when the
 * URL works. Says so if the file is not ready.
 * @param textOf returns the text with a token; null unless the file is ready
 */
export async function copyShared(
  file: FileWire,
  textOf: (file: FileWire, jwt: string) => string | null,
  loadToken: () => Promise<string>,
) {
  const plain = textOf(file, '');
  if (plain === null) return notify.error(MESSAGES.urlNotReady);
  const token = file.access === 'private' ? loadToken() : null;
  const { copied, message } = await copyText(
    token ? token.then((jwt) => textOf(file, jwt) ?? '') : plain,
  );
  try {
    const jwt = await token;
    if (!copied) notify.error(message);
    else
      notify.success(
        message,
        jwt ? `The URL works until ${formatLocalTime(expiryOf(jwt))}.` : undefined,
      );
  } catch (error) {
    notify.failure(error);
  }
}

/** Opens a file in a new tab. Says so if it is not ready. */
export async function openShared(file: FileWire, loadToken: () => Promise<string>) {
  const url = viewUrl(file, '');
  if (url === null) return notify.error(MESSAGES.urlNotReady);
  if (file.access === 'public') return void window.open(url, '_blank', 'noopener');
  // Safari lets a click open a tab only at once, so the token is loaded afterwards.
  const tab = window.open('', '_blank');
  if (tab) tab.opener = null;
  try {
    const signed = viewUrl(file, await loadToken());
    if (tab && signed) tab.location.href = signed;
  } catch (error) {
    tab?.close();
    notify.failure(error);
  }
}

/** Downloads a file. Says so if it is not ready. */
export async function downloadShared(file: FileWire, loadToken: () => Promise<string>) {
  if (downloadUrl(file, '') === null) return notify.error(MESSAGES.urlNotReady);
  try {
    const url = downloadUrl(file, file.access === 'private' ? await loadToken() : '');
    // The answer is an attachment, so the page stays.
    if (url) location.assign(url);
  } catch (error) {
    notify.failure(error);
  }
}
