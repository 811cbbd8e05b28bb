import { MINUTE } from '../../server/contract/limits.ts';
import { notFound, tooLarge, upstreamUnavailable } from '../../server/errors.ts';
import { checkKey, checkPrefix } from '../../server/platform/storage/keys.ts';
import type { ObjectStore } from '../../server/platform/storage/port.ts';
import { Life } from './life.ts';
import type { World } from './world.ts';

type Stored = { bytes: Blob; modifiedAt: number };

const lost = () =>
  upstreamUnavailable(new Error('the connection broke'), 'The storage is not responding.', 1000);

/** How often a put that its sender knows nothing of becomes visible later, and until when. */
const LATE_PROBABILITY = 0.3;
const MAX_LATE_MS = 50 * MINUTE;
/** How often a listing leaves out what was put within the last minute. */
const STALE_PROBABILITY = 0.03;

/** An object store in memory that simulated processes share, with the habits of S3. */
export class SimulatedStore {
  readonly objects = new Map<string, Stored>();
  /** Nothing below it can be deleted, as if it belonged to somebody else. */
  stuckFolder: string | null = null;

  /** What the store does by itself. */
  private readonly life = new Life('storage', true);

  constructor(private readonly world: World) {}

  /** Returns the objects as a process sees them. */
  of(life: Life): ObjectStore {
    const { objects, world } = this;
    const call = <Result>(name: string, effect: () => Result) =>
      world.call(life, name, effect, { lost });
    const below = (prefix: string) => this.below(prefix);
    const set = (key: string, bytes: Blob) => {
      objects.set(checkKey(key), { bytes, modifiedAt: world.now });
      return { size: bytes.size };
    };
    return {
      put: async (key, body, { maxBytes = Number.POSITIVE_INFINITY } = {}) => {
        await call(`put ${key} begins`, () => {});
        const bytes = await readAll(body, maxBytes);
        let isStored = false;
        const store = () => {
          isStored = true;
          return set(key, bytes);
        };
        const giveUp = () => {
          if (!isStored && world.isFailing(LATE_PROBABILITY))
            world.addTimer(store, world.below(MAX_LATE_MS), false, this.life);
        };
        life.onDeath(giveUp);
        const storing = call(`put ${key}`, store);
        storing.catch(giveUp);
        return storing;
      },
      putFile: (key, path) => {
        throw new Error(`${key}: ${path} is no file of this world`);
      },
      compose: (key, sources) =>
        call(`compose ${key}`, () =>
          set(key, new Blob(sources.map((one) => this.blobOf(one.key)))),
        ),
      copy: (key, source) => call(`copy ${key}`, () => set(key, this.blobOf(source.key))),
      head: (key) => call(`head ${key}`, () => this.headOf(key)),
      open: (key: string) => call(`open ${key}`, () => this.read(key)),
      async *list(prefix) {
        if (prefix) checkPrefix(prefix);
        yield* await call(`list ${prefix}`, () => below(prefix));
      },
      delete: (key) => call(`delete ${key}`, () => void objects.delete(checkKey(key))),
      deleteMany: (keys) =>
        call('deleteMany', () => {
          for (const key of keys) objects.delete(checkKey(key));
        }),
      deletePrefix: (prefix) =>
        call(`deletePrefix ${prefix}`, () => {
          if (this.isStuck(checkPrefix(prefix))) throw new Error(`EACCES: ${prefix}`);
          const isStale = world.isFailing(STALE_PROBABILITY);
          for (const { key } of below(prefix)) {
            const { modifiedAt = 0 } = objects.get(key) ?? {};
            if (!isStale || modifiedAt < world.now - MINUTE) objects.delete(key);
          }
          return true;
        }),
      requireSpace: (prefix) => call(`requireSpace ${prefix}`, () => {}),
      tidy: () => call('tidy', () => {}),
      check: () => call('check', () => {}),
    };
  }

  /** Whether a prefix or key can't be deleted. */
  isStuck(prefix: string): boolean {
    return this.stuckFolder !== null && prefix.startsWith(this.stuckFolder);
  }

  /** Returns the objects without faults, for the test itself. */
  get direct(): Pick<ObjectStore, 'head' | 'open' | 'list'> {
    const below = (prefix: string) => this.below(prefix);
    return {
      head: async (key) => this.headOf(key),
      open: async (key: string) => this.read(key),
      async *list(prefix) {
        yield* below(prefix);
      },
    };
  }

  private blobOf(key: string): Blob {
    const object = this.objects.get(checkKey(key));
    if (!object) throw notFound('File');
    return object.bytes;
  }

  private headOf(key: string) {
    const object = this.read(key);
    return object && { size: object.size, modifiedAt: object.modifiedAt };
  }

  private read(key: string) {
    const object = this.objects.get(checkKey(key));
    if (!object) return null;
    const { bytes, modifiedAt } = object;
    const body = (range?: { start: number; end: number }) =>
      range ? bytes.slice(range.start, range.end) : bytes;
    return { size: bytes.size, modifiedAt, body };
  }

  private below(prefix: string): { key: string; size: number }[] {
    const found: { key: string; size: number }[] = [];
    for (const [key, { bytes }] of this.objects)
      if (key.startsWith(prefix)) found.push({ key, size: bytes.size });
    return found;
  }
}

async function readAll(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Blob> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.byteLength;
    if (size > maxBytes) throw tooLarge('The object is too large.');
    parts.push(part);
  }
  return new Blob(parts as never[]);
}
