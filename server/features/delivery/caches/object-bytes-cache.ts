import { MIB } from '../../../contract/limits.ts';
import { machineMemory } from '../../../platform/machine-memory.ts';
import type { StoredObject } from '../../../platform/storage/port.ts';

type CachedBlob = { bytes: Blob | null; wasUsed: boolean; isLoading: boolean };

/** When the cache is full, one in this many misses replaces another object, to avoid churn. */
const ADMISSION_INTERVAL = 8;
const LOAD_CONCURRENCY = 8;

/**
 * A cache of the bytes of small objects, of at most `budget` bytes. It evicts by CLOCK: an object that was
 * used since the last pass stays, and a hit only sets a flag.
 */
export class ObjectBytesCache {
  private readonly ring = new Set<CachedBlob & { bytes: Blob }>();
  private used = 0;
  private loads = 0;

  constructor(
    private readonly budget: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** Returns how many bytes the cache has. */
  get size(): number {
    return this.used;
  }

  /** Returns the function that reads an object's body, from memory after the first call. */
  bodyOf(object: StoredObject): StoredObject['body'] {
    const entry: CachedBlob = { bytes: null, wasUsed: false, isLoading: false };
    return (range) => {
      const { bytes } = entry;
      if (!bytes) {
        void this.load(entry, object);
        return object.body(range);
      }
      entry.wasUsed = true;
      return range ? bytes.slice(range.start, range.end) : bytes;
    };
  }

  private async load(entry: CachedBlob, object: StoredObject): Promise<void> {
    const { budget } = this;
    const isFull = this.used + object.size > budget;
    if (entry.isLoading || this.loads === LOAD_CONCURRENCY || object.size > budget) return;
    if (isFull && this.random() >= 1 / ADMISSION_INTERVAL) return;
    entry.isLoading = true;
    this.loads += 1;
    try {
      // Bun sends the bytes of a Blob without copying them.
      const bytes = new Blob([await new Response(object.body()).arrayBuffer()]);
      if (bytes.size !== object.size) return;
      this.makeRoom(bytes.size);
      this.used += bytes.size;
      this.ring.add(Object.assign(entry, { bytes, wasUsed: false }));
    } catch {
      // The object has just been deleted, which the next request learns from the store.
    } finally {
      entry.isLoading = false;
      this.loads -= 1;
    }
  }

  private makeRoom(size: number): void {
    for (const one of this.ring) {
      if (this.used + size <= this.budget) return;
      this.ring.delete(one);
      if (one.wasUsed) {
        one.wasUsed = false;
        this.ring.add(one);
        continue;
      }
      this.used -= one.bytes.size;
      Object.assign(one, { bytes: null });
    }
  }
}

/**
 * Returns the bytes for the cache: a sixteenth of the memory that this process may use, 32 to 256
 * MiB.
 */
export function memoryBudget(): number {
  return Math.round(Math.min(256 * MIB, Math.max(32 * MIB, machineMemory() / 16)));
}
