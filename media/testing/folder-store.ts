import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '../../server/platform/storage/port.ts';

/** Returns an object store for the tests of media: one file for each key below a folder, without durability. */
export function folderStore(root: string): ObjectStore {
  const at = (key: string) => join(root, key);
  const ready = (key: string) => mkdir(dirname(at(key)), { recursive: true });
  const compose: ObjectStore['compose'] = async (key, sources) => {
    await ready(key);
    await Bun.write(at(key), new Blob(sources.map((source) => Bun.file(at(source.key)))));
    return { size: (await stat(at(key))).size };
  };
  return {
    compose,
    copy: (key, source) => compose(key, [source]),
    async head(key) {
      const stats = await stat(at(key)).catch(() => null);
      return stats && { size: stats.size, modifiedAt: stats.mtimeMs };
    },
    async put(key, body, options) {
      await ready(key);
      await pipeline(Readable.fromWeb(body as never), createWriteStream(at(key)), options ?? {});
      return { size: (await stat(at(key))).size };
    },
    async putFile(key, path) {
      await ready(key);
      await rename(path, at(key));
      return { size: (await stat(at(key))).size };
    },
    async open(key: string) {
      const stats = await stat(at(key)).catch(() => null);
      if (!stats) return null;
      const file = Bun.file(at(key));
      const body = (range?: { start: number; end: number }) =>
        range ? file.slice(range.start, range.end) : file;
      const hash = async () => Bun.hash(await file.arrayBuffer()).toString(36);
      return { size: stats.size, modifiedAt: stats.mtimeMs, body, hash };
    },
    async *list(prefix) {
      const names = await readdir(root, { recursive: true }).catch(() => []);
      for (const key of names.filter((name) => name.startsWith(prefix)).sort()) {
        const stats = await stat(at(key));
        if (stats.isFile()) yield { key, size: stats.size };
      }
    },
    delete: (key) => rm(at(key), { force: true }),
    async deleteMany(keys) {
      for (const key of keys) await rm(at(key), { force: true });
    },
    async deletePrefix(prefix) {
      await rm(at(prefix), { recursive: true, force: true });
      return true;
    },
    tidy: async () => {},
    requireSpace: async () => {},
    check: async () => void (await stat(root)),
  };
}
