import { promisify } from 'node:util';
import { memoizeAsync } from '../../contract/memoize.ts';

/** node:zlib takes 4 MiB, so it is loaded with the first response that is compressed. */
const load = memoizeAsync(async () => promisify((await import('node:zlib')).gzip));

/** Returns the gzip of a text. It is compressed in a thread: the playlist of a long film with tokens takes 40 ms. */
export async function gzip(text: string | Uint8Array): Promise<Buffer<ArrayBuffer>> {
  const compress = await load();
  return compress(text);
}
