import type { Storage } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';
import type { Region } from '../contract/regions.ts';
import { openDiskForReading, openDiskStore } from '../platform/storage/disk.ts';
import { reserveOnDisk } from '../platform/storage/disk-reserve.ts';
import type { ObjectStore } from '../platform/storage/port.ts';
import { createRoutedReader, createRoutedStore } from '../platform/storage/routed-store.ts';
import type { S3Settings } from '../platform/storage/s3/client.ts';
import { createSpool } from '../platform/storage/spooled-store.ts';

/*
 * Only this file picks object stores: for the server, for its media process, and for commands that only
 * read. The S3 client is loaded where it is used, because it would cost every other server memory.
 */

const loadS3 = () => import('../platform/storage/s3/s3.ts');

/**
 * Opens the object stores; sends no request to S3 yet. Throws where the disk can't be written to.
 * @param options.isOnlyProcess no other server uses the disk
 * @param options.reserveBytes how many bytes of the disk stay free
 * @param options.spoolFolder where what clients send to S3 is collected; a process without clients needs none
 */
export async function openObjects(
  { home, regions }: Storage,
  {
    isOnlyProcess = false,
    reserveBytes = 0,
    spoolFolder,
  }: { isOnlyProcess?: boolean; reserveBytes?: number; spoolFolder?: string } = {},
): Promise<ObjectStore> {
  const hasS3 = home.kind === 's3' || Object.keys(regions).length > 0;
  const spooled =
    spoolFolder === undefined || !hasS3
      ? (store: ObjectStore) => store
      : await createSpool({
          folder: spoolFolder,
          isOnlyProcess,
          reserve: reserveOnDisk(spoolFolder, reserveBytes),
        });
  const openS3 = async (settings: S3Settings) => spooled((await loadS3()).openS3Store(settings));
  const own =
    home.kind === 'disk'
      ? await openDiskStore({
          ...home,
          isOnlyProcess,
          reserve: reserveOnDisk(home.root, reserveBytes),
        })
      : await openS3(home.settings);
  const stores = await openEach(regions, openS3);
  return stores.size === 0 ? own : createRoutedStore(own, Object.fromEntries(stores));
}

/** Throws OperatorError where an S3 bucket can't be used. */
export async function reachObjects({ home, regions }: Storage): Promise<void> {
  const reach = async (settings: S3Settings) => {
    const { reachS3 } = await loadS3();
    await reachS3(settings).catch((error: Error) => {
      throw new OperatorError(error.message);
    });
  };
  if (home.kind === 's3') await reach(home.settings);
  await openEach(regions, reach);
}

/**
 * Opens the object stores for reading only. `leftovers` yields what unfinished puts have left behind; it
 * takes epoch milliseconds.
 */
export async function openObjectsForReading({
  home,
  regions,
}: Storage): Promise<
  Pick<ObjectStore, 'head' | 'open' | 'list'> & { leftovers(now: number): AsyncIterable<string> }
> {
  const openS3 = async (settings: S3Settings) => (await loadS3()).openS3ForReading(settings);
  const own = home.kind === 'disk' ? openDiskForReading(home) : await openS3(home.settings);
  const stores = await openEach(regions, openS3);
  if (stores.size === 0) return own;
  return {
    ...createRoutedReader(own, Object.fromEntries(stores)),
    async *leftovers(now) {
      for (const store of [own, ...stores.values()]) yield* store.leftovers(now);
    },
  };
}

/** Returns the origins of the stores' presigned URLs. */
export function originsOf({ home, regions }: Storage): string[] {
  const all = [...(home.kind === 's3' ? [home.settings] : []), ...Object.values(regions)];
  return all.map(({ endpoint, region }) => endpoint ?? `https://s3.${region}.amazonaws.com`);
}

async function openEach<Opened>(
  regions: Storage['regions'],
  open: (settings: S3Settings) => Promise<Opened>,
): Promise<Map<Region, Opened>> {
  const all = Object.entries(regions) as [Region, S3Settings][];
  return new Map(
    await Promise.all(
      all.map(
        async ([region, settings]): Promise<[Region, Opened]> => [region, await open(settings)],
      ),
    ),
  );
}
