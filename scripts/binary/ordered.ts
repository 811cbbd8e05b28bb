import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Bun embeds the files of a folder in the order in which the disk lists them, which differs from one
 * machine to the next. Moves each file below `folder` into a numbered folder of its own, where it keeps
 * its path; Bun joins folders of one name.
 * @returns the folders to embed, in the order of their files' paths
 */
export async function inOrder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile());
  const paths = files.map((one) => join(one.parentPath, one.name).slice(folder.length + 1)).sort();
  return Promise.all(
    paths.map(async (path, index) => {
      const own = join(folder, 'ordered', String(index));
      await mkdir(join(own, dirname(path)), { recursive: true });
      await rename(join(folder, path), join(own, path));
      return join(own, path.split('/')[0] ?? '');
    }),
  );
}
