import { openObjectsForReading } from '../../server/adapters/objects.ts';
import type { TestServer } from './server.ts';

/**
 * Keys of the objects below `prefix` that a server keeps, wherever it stores them. Those that it has
 * marked for removal are left out: its next sweep takes them, which has tests of its own.
 */
export async function storedObjects({ config, db }: TestServer, prefix = ''): Promise<string[]> {
  const store = await openObjectsForReading(config.storage);
  const found = await Array.fromAsync(store.list(prefix));
  const marked = await db
    .selectFrom('doomed')
    .select('prefix')
    .where('not_before', '<=', Date.now())
    .execute();
  return found
    .map(({ key }) => key)
    .filter((key) => !marked.some((one) => key.startsWith(one.prefix)));
}
