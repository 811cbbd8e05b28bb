/** What is known about the requests for one file. */
export type FileCount = {
  requests: number;
  /** The bytes that were sent of it. */
  bytes: number;
  /** How many requests at most may have been forgotten, when the file was not in the ranking; 0 where the count is exact. */
  missed: number;
};

/**
 * Adds counts to a ranking, and returns it with at most `capacity` files: the space-saving algorithm of Metwally, Agrawal
 * and El Abbadi, a batch at a time. A file that is not in a full ranking may have been in it before, with no more
 * requests than the last one has now. So it may have missed as many, and counts with them when it is decided who stays:
 * what is popular from now on is not kept out by what was popular before. `requests` never exceeds the truth.
 */
export function mergeCounts(
  ranking: ReadonlyMap<string, FileCount>,
  added: Iterable<readonly [id: string, count: FileCount]>,
  capacity: number,
): Map<string, FileCount> {
  const merged = new Map(ranking);
  const missedBefore = ranking.size < capacity ? 0 : Math.min(...[...ranking.values()].map(atMost));
  for (const [id, count] of added) {
    const known = merged.get(id) ?? { requests: 0, bytes: 0, missed: missedBefore };
    merged.set(id, {
      requests: known.requests + count.requests,
      bytes: known.bytes + count.bytes,
      missed: known.missed + count.missed,
    });
  }
  if (merged.size <= capacity) return merged;
  const ranked = [...merged].sort(
    ([, a], [, b]) => atMost(b) - atMost(a) || b.requests - a.requests || b.bytes - a.bytes,
  );
  return new Map(ranked.slice(0, capacity));
}

const atMost = ({ requests, missed }: FileCount) => requests + missed;
