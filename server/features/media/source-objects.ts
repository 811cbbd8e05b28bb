import type { ImageJob, VideoJob } from '../../contract/media.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';

/** Returns the keys of the objects that a job reads. */
export function sourcesOf(job: ImageJob | VideoJob): string[] {
  if (job.kind === 'image') return [job.source];
  return job.thumbnail ? [...job.sources, job.thumbnail] : job.sources;
}

/** What stays of an upload: the bytes of the objects that are kept, and the keys of all others. */
export type KeptSource = { bytes: number; others: string[] };

export const NOTHING_KEPT: KeptSource = { bytes: 0, others: [] };

/**
 * Finds the objects below `prefix` to keep, which are `keys`. A crash during an upload leaves a part
 * without a row, and an image that arrived in parts is also stored as a whole. Beside a kept original
 * these objects would stay for ever without being counted.
 */
export async function findKept(
  objects: Pick<ObjectStore, 'list'>,
  prefix: string,
  keys: string[],
): Promise<KeptSource> {
  const kept: KeptSource = { bytes: 0, others: [] };
  for await (const { key, size } of objects.list(prefix)) {
    if (keys.includes(key)) kept.bytes += size;
    else kept.others.push(key);
  }
  return kept;
}
