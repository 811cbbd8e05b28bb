import { REGIONS, type Region } from '../contract/regions.ts';

/** Where buckets of a region are: what their keys begin with, and the address that delivers them. */
export type RegionRoute = {
  /** '' where its files are the server's own, else the region's code and '/'. */
  root: string;
  /** Without a slash at the end. */
  cdnUrl: string;
};

/**
 * The one place that knows where a bucket's region is; null is the server's default. A key says
 * where its object is from then on, so what was stored before a region got storage of its own stays
 * where it is, and is found there.
 */
export type RegionRouter = ((region: Region | null) => RegionRoute) & {
  /** Regions that are not this server's own storage. */
  apart: Region[];
  /** Of every address that delivers files, once. */
  cdnUrls: string[];
};

/** What a region has of its own; null is the server's. */
export type RegionOverrides = { hasStorage: boolean; cdnUrl: string | null };

export function createRegionRouter(
  cdnUrl: string,
  regions: Partial<Record<Region, RegionOverrides>>,
): RegionRouter {
  const home: RegionRoute = { root: '', cdnUrl };
  const known = Object.entries(regions) as [Region, RegionOverrides][];
  const destinations = new Map(
    known.map(([region, own]): [Region, RegionRoute] => [
      region,
      { root: own.hasStorage ? `${region}/` : '', cdnUrl: own.cdnUrl ?? cdnUrl },
    ]),
  );
  const find = (region: Region | null) => (region && destinations.get(region)) || home;
  const urls = [home, ...destinations.values()].map((place) => place.cdnUrl);
  return Object.assign(find, {
    apart: known.flatMap(([region, own]) => (own.hasStorage ? [region] : [])),
    cdnUrls: [...new Set(urls)],
  });
}

/** The region whose storage holds an object; null is the server's own. */
export function regionOf(key: string): Region | null {
  const first = key.slice(0, key.indexOf('/'));
  return Object.hasOwn(REGIONS, first) ? (first as Region) : null;
}

/** What a key begins with there. */
export function rootOf(key: string | null): string {
  const region = key === null ? null : regionOf(key);
  return region === null ? '' : `${region}/`;
}
