import { fileById } from '../../server/features/files/store.ts';
import type { KnownBucket } from './clients.ts';
import type { KnownFile, Oracle } from './oracle.ts';
import type { Processes } from './processes.ts';
import type { Shared } from './shared.ts';

type Published = { entry: string; file_type: string };

/** The part of the visits of an image that ask for another size. */
const TRANSFORMS = 0.4;

/** Opens files that are or were published. */
export class Visitor {
  /** The last known objects of files. */
  private readonly published = new Map<string, Published>();

  constructor(
    private readonly shared: Shared,
    private readonly processes: Processes,
    private readonly oracle: Oracle,
    private readonly buckets: KnownBucket[],
  ) {}

  /** Chooses a file, and returns a visit of it; null where none was published yet. */
  async plan(): Promise<(() => Promise<void>) | null> {
    const { world, database } = this.shared;
    for (const { id } of this.oracle.files.values()) {
      const row = this.published.has(id) ? undefined : await fileById(database.direct.db, id);
      if (row?.status !== 'success' || !row.entry) continue;
      this.published.set(id, { entry: row.entry, file_type: row.file_type });
    }
    const file = world.pick(
      [...this.oracle.files.values()].filter(({ id }) => this.published.has(id)),
    );
    const published = file && this.published.get(file.id);
    return published ? () => this.open(file, published) : null;
  }

  private async open(file: KnownFile, published: Published): Promise<void> {
    const { world, events } = this.shared;
    const { oracle, processes } = this;
    const server = processes.any();
    const mustBeGone = file.state === 'deleted' && events.hasReached(server.life);
    const isTransform = published.file_type === 'image' && world.chance(TRANSFORMS);
    const query = isTransform ? `?width=${10 * (1 + world.below(6))}` : '';
    const url = `http://localhost/cdn/${file.bucketId}/${file.id}/${fileName(published)}${query}`;
    const response = await server.request(new Request(url));
    if (response === null || [429, 503].includes(response.status)) return;
    const text = await response.text();
    if (response.status === 200) {
      processes.count(server, file, text.length);
      if (text !== `id=${file.content};`) oracle.fail(`${url} is ${text}`);
      if (mustBeGone) oracle.fail(`${url} was deleted and is delivered`);
      return;
    }
    if ([404, 422].includes(response.status) && this.mayBeGone(file)) return;
    oracle.fail(`${url} answers ${response.status}: ${text}`);
  }

  private mayBeGone({ state, bucketId }: KnownFile): boolean {
    return state !== 'live' || this.buckets.find(({ id }) => id === bucketId)?.isDeleting !== false;
  }
}

/** Playlists are packed by a thread outside of the world, so a video is asked for its poster. */
const fileName = ({ entry, file_type }: Published) =>
  file_type === 'video' ? 'poster.webp' : entry;
