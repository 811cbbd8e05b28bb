import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSystemError } from '../../platform/system-error.ts';
import type { ExportedFile, ExportTarget } from './target.ts';

const PART = '.wharf-export.part';

/**
 * Opens a folder as a target, and creates it. A file there has the time at which it was uploaded, by which it is
 * recognised.
 */
export async function openFolderTarget(root: string): Promise<ExportTarget> {
  await mkdir(root, { recursive: true });
  const part = join(root, PART);
  return {
    async has({ path, size, createdAt }) {
      const found = await stat(localPath(root, path)).catch((error) => {
        if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return null;
        throw error;
      });
      if (!found?.isFile() || (size !== null && found.size !== size)) return false;
      return toSeconds(found.mtimeMs) === toSeconds(createdAt);
    },

    async put(file, body) {
      const target = localPath(root, file.path);
      await mkdir(dirname(target), { recursive: true });
      try {
        await write(part, file, body);
        await rename(part, target);
      } finally {
        await rm(part, { force: true });
      }
    },
  };
}

async function write(part: string, { createdAt }: ExportedFile, body: ReadableStream<Uint8Array>) {
  const handle = await open(part, 'w');
  try {
    for await (const bytes of body) {
      for (let written = 0; written < bytes.byteLength; ) {
        written += (await handle.write(bytes, written)).bytesWritten;
      }
    }
    const time = toSeconds(createdAt);
    await handle.utimes(time, time);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const toSeconds = (ms: number) => Math.floor(ms / 1000);

/** Returns where a file is below a folder. Throws where S3 allows a path that no file can have. */
function localPath(root: string, path: string): string {
  const segments = path.split('/');
  if (segments.some((segment) => segment === '')) {
    throw new Error('A file in a folder can’t have empty parts in its path.');
  }
  return join(root, ...segments);
}
