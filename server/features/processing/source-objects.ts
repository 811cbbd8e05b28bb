import type { ImageJob, VideoJob } from '../../contract/media.ts';
import type { ObjectStore, SourceObject } from '../../platform/storage/port.ts';

/** What stays of an upload. */
export type KeptSource = {
  bytes: number;
  /** Where the object of the blob is from now on; null where that is known since the upload, or nothing stays. */
  place: { prefix: string; object_key: string } | null;
  /** The keys and prefixes of everything else that belongs to the upload. */
  others: string[];
};

type Source = {
  job: ImageJob | VideoJob;
  /** The prefix of the upload. */
  prefix: string;
  owner: string;
  /** Does work with the storage, again while that is unavailable. */
  whileUnavailable: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Returns a prefix whose deletion is pending. */
  newPrefix: () => Promise<string>;
};

/**
 * Returns what stays of an upload whose original is kept. A video in several objects is composed to one below a new
 * prefix; until the file is published the others stay too. Throws where an object of the upload is missing.
 */
export async function keepSource(
  objects: Pick<ObjectStore, 'list' | 'head' | 'compose'>,
  { job, prefix, owner, whileUnavailable, newPrefix }: Source,
): Promise<KeptSource> {
  const keys = job.kind === 'image' ? [job.source] : job.sources;
  const { sources, others } = await whileUnavailable(() => findSource(objects, prefix, keys));
  const bytes = sources.reduce((sum, { size }) => sum + size, 0);
  if (job.kind === 'image') return { bytes, place: null, others };
  const [only, ...rest] = sources;
  if (only && rest.length === 0) {
    return { bytes, place: { prefix, object_key: only.key }, others };
  }
  const place = await newPrefix();
  const object_key = `${place}original`;
  await whileUnavailable(() => objects.compose(object_key, sources, { owner }));
  return { bytes, place: { prefix: place, object_key }, others: [prefix] };
}

/**
 * Finds the objects below `prefix` that have the uploaded bytes, which are `keys`. A crash during an upload leaves a
 * part without a row, an image that arrived in parts is also stored as a whole, and a video may have a picture of its
 * own. Beside a kept original these objects would stay for ever without being counted.
 */
async function findSource(
  objects: Pick<ObjectStore, 'list' | 'head'>,
  prefix: string,
  keys: string[],
): Promise<{ sources: SourceObject[]; others: string[] }> {
  const wanted = new Set(keys);
  const sizes = new Map<string, number>();
  const others: string[] = [];
  for await (const { key, size } of objects.list(prefix)) {
    if (wanted.has(key)) sizes.set(key, size);
    else others.push(key);
  }
  const sources: SourceObject[] = [];
  for (const key of keys) {
    // Not every storage lists an object as soon as it has it.
    const size = sizes.get(key) ?? (await objects.head(key))?.size;
    if (size === undefined) throw new Error(`The object ${key} of an upload is missing.`);
    sources.push({ key, size });
  }
  return { sources, others };
}
