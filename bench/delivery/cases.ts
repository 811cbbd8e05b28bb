import { MIB } from '../../server/contract/limits.ts';
import type { Access } from '../../server/contract/wire.ts';
import type { SIZES } from '../media/images.ts';

export type Size = keyof typeof SIZES;

/** One comparison: files of a size by us, and by nginx or, where they are private, our public ones. */
export type Case = {
  name: string;
  size: Size;
  access: Access;
  /** Bytes of one range; the whole without. */
  range?: number;
  /** Requests per second, as a part of the peer's. */
  toReach: number;
};

export const CASES: Case[] = [
  { name: '1 KiB', size: '1 KiB', access: 'public', toReach: 0.8 },
  { name: '100 KiB', size: '100 KiB', access: 'public', toReach: 1 },
  { name: '10 MiB', size: '10 MiB', access: 'public', toReach: 0.9 },
  { name: 'range of 1 MiB', size: '10 MiB', access: 'public', range: MIB, toReach: 0.7 },
  { name: '1 KiB, private', size: '1 KiB', access: 'private', toReach: 0.9 },
  { name: '100 KiB, private', size: '100 KiB', access: 'private', toReach: 0.9 },
  { name: '10 MiB, private', size: '10 MiB', access: 'private', toReach: 0.9 },
];

/** How many distinct files are asked for; of the largest a hundredth, which are as many bytes. */
export const countOf = (size: Size, files: number) =>
  size === '10 MiB' ? Math.ceil(files / 100) : files;
