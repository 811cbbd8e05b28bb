import type { ImageJob, VideoJob } from '../../contract/media.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';

/** Returns the keys of the objects that a job reads. */
export function sourcesOf(job: ImageJob | VideoJob): string[] {
  if (job.kind === 'image') return [job.source];
  return job.thumbnail ? [...job.sources, job.thumbnail] : job.sources;
}

/**
 * Deletes all objects below `prefix` except `keys`, and returns how many bytes those have. A crash
 * during an upload leaves a part without a row, and an image that arrived in parts is also stored
 * as a whole. Beside a kept original these objects would stay for ever without being counted.
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
