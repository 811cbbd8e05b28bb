import { permanentFailure } from '../media-failure.ts';
import { isIndexBeyond, readBrand, readIndex } from '../mp4/mp4-index.ts';
import { openRandomAccess, writePieces } from '../strip-metadata/random-access.ts';

/**
 * A local file that ffprobe can read, of the first bytes of a video and perhaps its last: the
 * head itself, or where its index lies in the tail, a new file `to` of the index alone. Null where
 * the tail is needed and not there. Throws a permanent MediaFailure where it doesn't help either.
 */
export function sourceExcerpt(head: string, tail: string | null, to: string): string | null {
  const first = openRandomAccess(head);
  try {
    if (!isIndexBeyond(first)) return head;
    if (tail === null) return null;
    const last = openRandomAccess(tail);
    try {
      const index = readIndex(last);
      if (!index) throw permanentFailure('The video is incomplete: its index is missing.');
      writePieces(tail, to, [...readBrand(first), index]);
      return to;
    } finally {
      last.close();
    }
  } finally {
    first.close();
  }
}
