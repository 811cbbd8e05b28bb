import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { clearStaleFolders, isWorkFolder, makeWorkFolder } from '../work-folder.ts';

/** The native libraries inside the binary. scripts/binary/libraries.ts writes this beside them. */
export type Embedded = {
  /** The name of their folder, which changes with the libraries. */
  version: string;
  /** The paths must stay, because the libraries find each other by them. */
  files: { path: string; sha256: string }[];
  /** The path of sharp's addon among them. */
  addon: string;
};

let addon: string | undefined;

/** Returns the absolute path of sharp's addon. Throws before `openLibraries`. */
export function sharpAddon(): string {
  if (!addon) throw new Error('The native libraries were not extracted from the binary.');
  return addon;
}

const SOURCE = join(import.meta.dir, 'native');
const readEmbedded = (): Promise<Embedded> => Bun.file(join(SOURCE, 'libraries.json')).json();

/** Extracts the libraries of the binary, because the system's loader can only open files. */
export async function extractEmbedded(folder: string): Promise<void> {
  await extractLibraries(SOURCE, await readEmbedded(), folder);
}

/** Makes sharp load the extracted libraries. Called before sharp is loaded. */
export async function openLibraries(folder: string): Promise<void> {
  const { version, addon: path } = await readEmbedded();
  addon = join(folder, version, path);
}

/**
 * Extracts the libraries of `source` into their own folder below `folder`, and returns its path. Existing
 * files are checked by their hash each time, because their code runs with our permissions, and replaced
 * where they differ. A rename makes a file appear complete, so several processes can do this at the same
 * time. Removes other versions. Throws where `folder` can't be written to.
 */
export async function extractLibraries(
  source: string,
  { version, files }: Embedded,
  folder: string,
): Promise<string> {
  const target = join(folder, version);
  await clearStaleFolders(folder);
  for (const { path, sha256 } of files) {
    if ((await hashOf(join(target, path))) === sha256) continue;
    const work = await makeWorkFolder(folder);
    try {
      const fresh = join(work.path, basename(path));
      await writeDurably(join(source, path), fresh);
      if ((await hashOf(fresh)) !== sha256) throw new Error(`${path} is damaged in the binary.`);
      await mkdir(dirname(join(target, path)), { recursive: true, mode: 0o700 });
      await rename(fresh, join(target, path));
    } finally {
      await work.remove();
    }
  }
  for (const name of await readdir(folder)) {
    if (name === version || isWorkFolder(name)) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
  return target;
}

async function writeDurably(from: string, to: string): Promise<void> {
  // node:fs can't copy a file out of the binary.
  await Bun.write(to, Bun.file(from));
  await chmod(to, 0o400);
  const file = await open(to, 'r');
  await file.sync().finally(() => file.close());
}

/** Returns the SHA-256 in hex; null where the file is missing or can't be read. */
async function hashOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      hash.update(piece);
    }
    return hash.digest('hex');
  } catch {
    return null;
  }
}
