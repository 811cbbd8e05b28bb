import { count } from '../../server/contract/units.ts';

type Counts = {
  /** How many files are loaded. */
  files: number;
  /** How many folders are loaded; 0 for a list without any. */
  folders?: number;
  /** How many files there are, where the server knows without counting; null where it doesn't. */
  total?: number | null;
  /** False while the server has more than what is loaded. */
  isComplete: boolean;
};

/** How many files a list has. Its height is the same while it is empty. */
export const ListCount = ({ isShown, ...counts }: Counts & { isShown: boolean }) => (
  <p className="numbers ml-auto min-h-4 text-xs leading-4 text-quiet">
    {isShown && countText(counts)}
  </p>
);

/** Returns a text such as '1,234 files', '3 folders, 12 files', or 'More than 50 files' where nothing is counted. */
export function countText({ files, folders = 0, total = null, isComplete }: Counts): string {
  // More may be loaded than there were when the server told the number.
  const counted = total === null ? null : Math.max(total, files);
  const known = isComplete ? files : counted;
  const parts = [
    folders > 0 && count(folders, 'folder'),
    ((known ?? files) > 0 || folders === 0) && count(known ?? files, 'file'),
  ];
  const text = parts.filter(Boolean).join(', ');
  return known === null ? `More than ${text}` : text;
}
