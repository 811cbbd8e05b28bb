import type { Executor } from '../../../platform/db/port.ts';
import { BEHIND_ALL_IDS } from '../../../platform/ids.ts';
import { isCommonPrefix, type ObjectRange, startOf } from '../objects/object-range.ts';
import {
  entryPaths,
  type ObjectRow,
  objectsByIds,
  objectVersion,
} from '../objects/object-store.ts';
import { raised } from '../objects/raised.ts';
import { behindPath } from '../paths/bounds.ts';
import { fileAt } from '../paths/insertion-store.ts';
import { markerIdOf, markerTime, versionIdOf } from './version-id.ts';
import * as store from './version-store.ts';

/** Which versions are listed. Those of the key `after` are too, behind a version or a delete marker of it. */
export type VersionListRange = ObjectRange & {
  /** The id of that version; null where all of the key are passed over. */
  afterVersion: string | null;
};

/** An entry of a list of versions. */
export type VersionEntry =
  | { kind: 'prefix'; path: string }
  | { kind: 'version'; path: string; versionId: string; isLatest: boolean; object: ObjectRow }
  | { kind: 'marker'; path: string; versionId: string; isLatest: boolean; at: number };

type Range = VersionListRange & { now: number; withEarlier: boolean };

/** A version, and what a list shows of it: of a deleted file its delete marker too, but where it was shown before. */
type Shown = store.VersionPosition & { isFirst: boolean; hidesMarker: boolean };

/**
 * Returns the first entries of a list of versions, by their keys, and for each key from the newest to the oldest. Each
 * common prefix costs a few lookups, however many versions it stands for.
 */
export async function listVersions(
  db: Executor,
  bucketId: string,
  range: Range,
): Promise<VersionEntry[]> {
  const entries = await restOfKey(db, bucketId, range);
  const { prefix, delimiter, limit, now, withEarlier } = range;
  const from = startOf(range);
  if (from === null || entries.length >= limit) return entries.slice(0, limit);
  const add = async (between: { from: string; before: string | null }) => {
    const found = { ...between, limit: limit - entries.length, now };
    const positions = await store.versionPositions(db, bucketId, found, withEarlier);
    entries.push(...(await toEntries(db, bucketId, withFirst(positions))));
  };
  if (delimiter === '') {
    await add({ from, before: prefix === '' ? null : raised(prefix) });
    return entries.slice(0, limit);
  }
  for (let start: string | null = from; start !== null && entries.length < limit; ) {
    const paths = await entryPaths(db, bucketId, range, start, withEarlier);
    for (const run of runsOf(paths, range)) {
      if (entries.length >= limit) break;
      if (run.isPrefix) entries.push({ kind: 'prefix', path: run.first });
      else await add({ from: run.first, before: behindPath(run.last) });
    }
    // At some of the paths may only be files that are due to be purged, so more may follow.
    const last = paths.at(-1);
    start = last === undefined || paths.length < limit ? null : startOf({ ...range, after: last });
  }
  return entries.slice(0, limit);
}

/** Returns the entries of the key at which a list goes on, behind a version of it. */
async function restOfKey(
  db: Executor,
  bucketId: string,
  { after: path, afterVersion, prefix, limit, now, withEarlier }: Range,
): Promise<VersionEntry[]> {
  if (afterVersion === null || !withEarlier || !path.startsWith(prefix)) return [];
  const place = { bucket_id: bucketId, path };
  const version = await objectVersion(db, place, afterVersion, now);
  const markedAt = version ? null : markerTime(place, afterVersion);
  // Of a version that has gone meanwhile nobody knows where it was, so all that are left of the key follow.
  const isUnknown = !version && markedAt === null;
  const supersededAt = version?.superseded_at ?? markedAt ?? store.CURRENT_AT;
  const id = version && version.superseded_at !== null ? version.id : BEHIND_ALL_IDS;
  const earlier = await store.versionsBehind(db, place, { supersededAt, id, limit, now });
  const shown = earlier.map((position) => ({
    ...position,
    isFirst: false,
    hidesMarker: position.at === markedAt,
  }));
  const current = isUnknown ? await fileAt(db, bucketId, path) : undefined;
  const first = { path, at: store.CURRENT_AT, isFirst: true, hidesMarker: false };
  return toEntries(db, bucketId, [...(current ? [{ ...first, id: current }] : []), ...shown]);
}

/** Notes which versions are the first ones of their paths. */
const withFirst = (positions: store.VersionPosition[]): Shown[] =>
  positions.map((position, n) => ({
    ...position,
    isFirst: positions[n - 1]?.path !== position.path,
    hidesMarker: false,
  }));

async function toEntries(db: Executor, bucketId: string, shown: Shown[]): Promise<VersionEntry[]> {
  const rows = await objectsByIds(
    db,
    shown.map(({ id }) => id),
  );
  return shown.flatMap(({ id, path, at, isFirst, hidesMarker }): VersionEntry[] => {
    const object = rows.get(id);
    if (!object) return [];
    const isDeleted = object.removal === 'deleted' && object.version_id !== null;
    const isMarked = isDeleted && !hidesMarker;
    const versionId = versionIdOf(object);
    const isCurrent = at === store.CURRENT_AT;
    const version: VersionEntry = { kind: 'version', path, versionId, isLatest: isCurrent, object };
    if (!isMarked) return [version];
    const markerId = markerIdOf({ bucket_id: bucketId, path, superseded_at: at });
    return [{ kind: 'marker', path, versionId: markerId, isLatest: isFirst, at }, version];
  });
}

type Run = { isPrefix: boolean; first: string; last: string };

/** Returns common prefixes, and keys that follow each other without one in between. */
function runsOf(paths: string[], range: ObjectRange): Run[] {
  const runs: Run[] = [];
  for (const path of paths) {
    const isPrefix = isCommonPrefix(path, range);
    const last = runs.at(-1);
    if (last && !last.isPrefix && !isPrefix) last.last = path;
    else runs.push({ isPrefix, first: path, last: path });
  }
  return runs;
}
