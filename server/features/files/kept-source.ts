import type { ImageJob, VideoJob } from '../../contract/media.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';

/** The objects that a job reads. */
export function sourcesOf(job: ImageJob | VideoJob): string[] {
  if (job.kind === 'image') return [job.source];
  return job.thumbnail ? [...job.sources, job.thumbnail] : job.sources;
}

/**
 * Removes all below `prefix` but `keys`, and returns how many bytes those have. A crash while a
 * piece arrived leaves one that no row names, and an image that came in parts is stored whole beside
 * them: of an original that is kept they would stay for ever, counted nowhere.
 */
export async function keepOnly(
  objects: Pick<ObjectStore, 'list' | 'delete'>,
  prefix: string,
  keys: string[],
): Promise<number> {
  let bytes = 0;
  for await (const { key, size } of objects.list(prefix)) {
    if (keys.includes(key)) bytes += size;
    else await objects.delete(key);
  }
  return bytes;
}
