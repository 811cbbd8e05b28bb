import { count, truncate } from '../../../server/contract/units.ts';
import type { FolderJobWire } from '../../../server/contract/wire.ts';
import { baseName, folderOf } from '../moves/paths.ts';

/** Returns what a job does: 'Deleting photos'. */
export const actionOf = ({ action, path }: FolderJobWire): string =>
  `${{ move: 'Moving', copy: 'Copying', delete: 'Deleting' }[action]} ${nameOf(path)}`;

/** Returns what a job has done, and what is left. */
export function resultOf({ action, path, target, status, done, conflicts }: FolderJobWire): string {
  const name = nameOf(path);
  const verb = { move: 'moved', copy: 'copied', delete: 'deleted' }[action];
  const left =
    conflicts === 0
      ? ''
      : action === 'copy'
        ? ` ${count(conflicts, 'file')} not copied: another file is at the new path, the path would be too long, or the file is still processing or not allowed in that bucket.`
        : ` ${count(conflicts, 'file')} left in ${name}: another file is at the new path, or the path would be too long.`;
  if (status === 'stopped' || left !== '') {
    const stopped = status === 'stopped' ? 'Stopped. ' : '';
    return `${stopped}${count(done, 'file')} of ${name} ${verb}.${left}`;
  }
  if (target === null) return `${name} was deleted.`;
  return action === 'move' && isRename(path, target)
    ? `${name} was renamed to ${nameOf(target)}.`
    : `${name} was ${verb} to ${placeOf(target)}.`;
}

const nameOf = (folder: string) => truncate(baseName(folder));

const isRename = (path: string, target: string) => parentOf(path) === parentOf(target);
const parentOf = (folder: string) => folderOf(folder.slice(0, -1));

function placeOf(target: string): string {
  const parent = parentOf(target);
  return parent === '' ? 'the top folder' : truncate(parent.slice(0, -1));
}
