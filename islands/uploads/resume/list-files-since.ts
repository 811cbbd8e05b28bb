import { PAGE_SIZE } from '../../../server/contract/limits.ts';
import type { FilePageWire, FileWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';

const FIRST = '0';
const MAX_PAGES = 20;

/** The files of a bucket from `oldest` on, an id; ids sort by time. Whatever filters the page has. */
export async function listFilesSince(bucketId: string, oldest: string): Promise<FileWire[]> {
  const files: FileWire[] = [];
  let cursor: string | null = FIRST;
  for (let page = 0; page < MAX_PAGES && cursor !== null; page += 1) {
    const query: { cursor: string; limit: number } = { cursor, limit: PAGE_SIZE };
    const { data, nextId }: FilePageWire = await call('GET /files/:bucketID', {
      params: { bucketID: bucketId },
      query,
    });
    files.push(...data.filter(({ id }) => id >= oldest));
    cursor = data.some(({ id }) => id < oldest) ? null : nextId;
  }
  return files;
}

/** The id of a bucket's newest file; empty where it has none. */
export async function newestFile(bucketId: string): Promise<string> {
  const query = { cursor: FIRST, limit: 1 };
  const { data } = await call('GET /files/:bucketID', { params: { bucketID: bucketId }, query });
  return data[0]?.id ?? '';
}
