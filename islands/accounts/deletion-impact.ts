import { formatBytes } from '../../server/contract/units.ts';

export const count = (number: number, noun: string) =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;

type Loss = { buckets?: number; files: number; bytes: number };

/** What a deletion wipes, in numbers: '3 buckets, 12 files, 1.42 GiB'. */
export const deletionImpactText = ({ buckets, files, bytes }: Loss) =>
  [
    ...(buckets === undefined ? [] : [count(buckets, 'bucket')]),
    count(files, 'file'),
    formatBytes(bytes),
  ].join(', ');
