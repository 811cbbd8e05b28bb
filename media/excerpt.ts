import { openRandomAccess, writePieces } from './clean/random-access.ts';
import { refused } from './failure.ts';
import { brandOf, indexIn, isIndexBeyond } from './moov.ts';

/**
 * A local file that ffprobe can read, of the first bytes of a video and perhaps its last: the
 * head itself, or where its index lies in the tail, a new file `to` of the index alone. Null where
 * the tail is needed and not there. Throws a permanent MediaFailure where it doesn't help either.
 */
export function excerptOf(head: string, tail: string | null, to: string): string | null {
  const first = openRandomAccess(head);
  try {
    if (!isIndexBeyond(first)) return head;
    if (tail === null) return null;
    const last = openRandomAccess(tail);
    try {
      const index = indexIn(last);
      if (!index) throw refused('The video has no index: it is not complete.');
      writePieces(tail, to, [...brandOf(first), index]);
      return to;
    } finally {
      last.close();
    }
  } finally {
    first.close();
  }
}
