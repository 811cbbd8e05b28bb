import { DAY, HOUR } from '../../../contract/limits.ts';

type Growth = { at: number; bytes: number };
type ModelFile = {
  growth: Growth[];
  removedAt: number | null;
  deliveries: Growth[];
  /** Whether the file is in the trash. */
  isTrashed?: boolean;
};

/** A model of a bucket that computes the expected usage from everything that happened to it. */
export class ModelBucket {
  readonly files = new Map<string, ModelFile>();
  readonly uploads: Growth[] = [];

  upload(id: string, at: number, bytes: number) {
    this.files.set(id, { growth: [{ at, bytes }], removedAt: null, deliveries: [] });
    this.uploads.push({ at, bytes });
  }

  live = () => [...this.files].filter(([, file]) => file.removedAt === null).map(([id]) => id);
  current = () => this.live().filter((id) => !this.files.get(id)?.isTrashed);
  sizeOf = (id: string) => total(this.files.get(id)?.growth ?? []);
  usage = () => this.live().reduce((sum, id) => sum + this.sizeOf(id), 0);
  bandwidth = (from: number, to: number) =>
    sumIn(
      [...this.files.values()].flatMap((file) => file.deliveries),
      from,
      to,
    );

  /** Returns the bytes × milliseconds from one moment up to another, change by change. */
  integral(from: number, to: number): bigint {
    let sum = 0n;
    for (const { growth, removedAt } of this.files.values()) {
      const end = Math.min(to, removedAt ?? to);
      for (const { at, bytes } of growth) {
        sum += BigInt(bytes) * BigInt(Math.max(0, end - Math.max(from, at)));
      }
    }
    return sum;
  }

  hour(hour: number) {
    return {
      bandwidth: this.bandwidth(hour, hour + HOUR),
      uploaded: sumIn(this.uploads, hour, hour + HOUR),
      storedByteMs: this.integral(hour, hour + HOUR),
    };
  }

  /** Returns the bytes of the files that existed at the end of a day or were deleted on it. */
  diskAll(day: number): number {
    return [...this.files.values()]
      .filter(({ removedAt }) => removedAt === null || removedAt >= day)
      .reduce((sum, { growth }) => sum + sumIn(growth, 0, day + DAY), 0);
  }

  /** Returns the bytes at the end of a day of the files that exist now. */
  diskActive(day: number): number {
    return [...this.files.values()]
      .filter(({ removedAt, isTrashed }) => removedAt === null && !isTrashed)
      .reduce((sum, { growth }) => sum + sumIn(growth, 0, day + DAY), 0);
  }
}

const total = (all: Growth[]) => all.reduce((sum, { bytes }) => sum + bytes, 0);
const sumIn = (all: Growth[], from: number, to: number) =>
  total(all.filter(({ at }) => at >= from && at < to));

/**
 * Returns a generator of numbers from 0 up to, but not including, 1, which repeats for the same
 * seed (mulberry32).
 */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
