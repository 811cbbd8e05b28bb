import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programCommand } from './program.ts';

/** No user of the system. */
const UID = 54_321;
const isRoot = process.getuid?.() === 0;

/** The user that `asOrdinaryUser` runs programs as. */
export const ordinaryUid: number = isRoot ? UID : (process.getuid?.() ?? 0);

/** The program under test, run by a user to whom permissions apply, which they don't to root. */
export const asOrdinaryUser: string[] = [
  ...(isRoot ? ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', '--'] : []),
  ...programCommand,
];

/** Whether that user can run the program: the folders above it may be private. */
export const canBeOrdinary: boolean =
  Bun.spawnSync([...asOrdinaryUser, 'version'], { stderr: 'ignore' }).exitCode === 0;

/** Creates a folder of that user. Call `remove`. */
export async function folderOfOrdinaryUser(): Promise<{
  folder: string;
  remove(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-user-'));
  if (isRoot) await chown(folder, UID, UID);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
