import { useQuery } from '@tanstack/react-query';
import { REGIONS, type Region } from '../../server/contract/regions.ts';
import { call } from '../runtime/api.ts';

/** Returns the regions that have their own storage, or undefined until they are loaded. */
export function useSeparateRegions(enabled = true): Region[] | undefined {
  const { data } = useQuery({
    queryKey: ['regions'],
    queryFn: () => call('GET /buckets/regions'),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
  return data?.regions_with_storage;
}

/** Returns a text about where the regions store their files, of which some have a storage of their own. */
export function regionNote(separateRegions: Region[]): string {
  const names = separateRegions.map((region) => REGIONS[region]).join(', ');
  if (separateRegions.length === Object.keys(REGIONS).length)
    return 'Each region has its own storage.';
  return `Regions with their own storage: ${names}. All others use this server’s storage.`;
}

/** Returns a text about where the files of a region's buckets are stored. */
export const storageNote = (region: Region | null, separateRegions: Region[]): string =>
  region && separateRegions.includes(region)
    ? 'Files are stored in this region.'
    : 'Files are stored on this server.';
