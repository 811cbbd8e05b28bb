import { count, truncate } from '../../../server/contract/units.ts';
import type { FolderJobWire } from '../../../server/contract/wire.ts';
import { baseName, folderOf } from '../moves/paths.ts';

/** Returns what a job does: 'Deleting photos'. */
export const actionOf = ({ action, path }: FolderJobWire): string =>
  `${action === 'move' ? 'Moving' : 'Deleting'} ${nameOf(path)}`;

/** Returns what a job has done, and what is left. */
export function resultOf({ action, path, target, status, done, conflicts }: FolderJobWire): string {
  const name = nameOf(path);
  const verb = action === 'move' ? 'moved' : 'deleted';
  const left =
    conflicts === 0
      ? ''
      : ` ${count(conflicts, 'file')} left in ${name}: another file is at the new path, or the path would be too long.`;
  if (status === 'stopped' || left !== '') {
    const stopped = status === 'stopped' ? 'Stopped. ' : '';
    return `${stopped}${count(done, 'file')} of ${name} ${verb}.${left}`;
  }
  if (target === null) return `${name} was deleted.`;
  return isRename(path, target)
    ? `${name} was renamed to ${nameOf(target)}.`
    : `${name} was moved to ${placeOf(target)}.`;
}

const nameOf = (folder: string) => truncate(baseName(folder));

const isRename = (path: string, target: string) => parentOf(path) === parentOf(target);
const parentOf = (folder: string) => folderOf(folder.slice(0, -1));

function placeOf(target: string): string {
  const parent = parentOf(target);
  return parent === '' ? 'the top folder' : truncate(parent.slice(0, -1));
}
