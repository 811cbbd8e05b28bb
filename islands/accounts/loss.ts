import { formatBytes } from '../../server/contract/units.ts';

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** What a deletion wipes, in numbers: '3 buckets, 12 files, 1.42 GiB'. */
export const lossText = (loss: { buckets: number; files: number; bytes: number }) =>
  [count(loss.buckets, 'bucket'), count(loss.files, 'file'), formatBytes(loss.bytes)].join(', ');
