import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^job-(\d+)-/;

/** Whether a folder is called as `makeWorkFolder` calls them. */
export const isWorkFolder = (name: string): boolean => NAME.test(name);

/** Makes a private, empty folder for one job below `workDir`. The caller removes it. */
export async function makeWorkFolder(workDir: string): Promise<string> {
  await mkdir(workDir, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(workDir, `job-${process.pid}-`));
  await chmod(folder, 0o700);
  return folder;
}

/**
 * Removes what killed media processes left below `workDir`. Folders of a process that still runs
 * stay: while one server hands over to the next there are two. In a container this process has
 * the same id as the one before it, and has made nothing yet.
 */
export async function clearStaleFolders(workDir: string): Promise<void> {
  for await (const path of staleFolders(workDir)) {
    await rm(path, { recursive: true, force: true });
  }
}

/** The paths that `clearStaleFolders` would remove. */
export async function* staleFolders(workDir: string): AsyncGenerator<string> {
  const names = await readdir(workDir).catch(() => []);
  for (const name of names) {
    const owner = Number(NAME.exec(name)?.[1] ?? 0);
    if (owner > 0 && (owner === process.pid || !isRunning(owner))) yield join(workDir, name);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
