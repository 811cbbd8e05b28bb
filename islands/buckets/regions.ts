import { useQuery } from '@tanstack/react-query';
import { REGIONS, type Region } from '../../server/contract/regions.ts';
import { call } from '../runtime/api.ts';

/** Which regions have storage of their own; undefined until that is known. */
export function useRegionsApart(enabled = true): Region[] | undefined {
  const { data } = useQuery({
    queryKey: ['regions'],
    queryFn: () => call('GET /buckets/regions'),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
  return data?.apart;
}

/** What a choice of regions comes to. */
export function regionNote(apart: Region[]): string {
  if (apart.length === 0) return 'This server has one region; every choice stores here.';
  const names = apart.map((region) => REGIONS[region]).join(', ');
  if (apart.length === Object.keys(REGIONS).length) return 'Each region has its own storage.';
  return `Regions with their own storage: ${names}. All others use this server’s storage.`;
}

/** Where the files of a region's buckets are. */
export const placeNote = (region: Region | null, apart: Region[]): string =>
  region && apart.includes(region)
    ? 'Files are stored in this region.'
    : 'Files are stored on this server.';
