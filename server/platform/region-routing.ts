import { REGIONS, type Region } from '../contract/regions.ts';

/** The prefix of the keys of a region's buckets, and the URL that delivers them. */
export type RegionRoute = {
  /** '' where the files are in the server's own storage, else the region's code and '/'. */
  root: string;
  /** Without a slash at the end. */
  cdnUrl: string;
};

/**
 * Returns the route of a region; null is the server's default. Nothing else knows where a region's files
 * are. The key of an object tells its storage, so objects that were stored before a region got its own
 * storage stay where they are and are still found.
 */
export type RegionRouter = ((region: Region | null) => RegionRoute) & {
  /** Regions with a storage of their own. */
  regionsWithStorage: Region[];
  /** Every URL that delivers files, without duplicates. */
  cdnUrls: string[];
};

/** What a region has of its own. A `cdnUrl` of null is the server's. */
export type RegionOverrides = { hasStorage: boolean; cdnUrl: string | null };

export function createRegionRouter(
  cdnUrl: string,
  regions: Partial<Record<Region, RegionOverrides>>,
): RegionRouter {
  const home: RegionRoute = { root: '', cdnUrl };
  const overrides = Object.entries(regions) as [Region, RegionOverrides][];
  const destinations = new Map(
    overrides.map(([region, own]): [Region, RegionRoute] => [
      region,
      { root: own.hasStorage ? `${region}/` : '', cdnUrl: own.cdnUrl ?? cdnUrl },
    ]),
  );
  const find = (region: Region | null) => (region && destinations.get(region)) || home;
  const urls = [home, ...destinations.values()].map((route) => route.cdnUrl);
  return Object.assign(find, {
    regionsWithStorage: overrides.flatMap(([region, own]) => (own.hasStorage ? [region] : [])),
    cdnUrls: [...new Set(urls)],
  });
}

/** Returns the region whose storage holds an object; null is the server's own storage. */
export function regionOf(key: string): Region | null {
  const first = key.slice(0, key.indexOf('/'));
  return Object.hasOwn(REGIONS, first) ? (first as Region) : null;
}

/** Returns the prefix of the keys in the storage that holds an object. */
export function rootOf(key: string | null): string {
  const region = key === null ? null : regionOf(key);
  return region === null ? '' : `${region}/`;
}
