import type { Database } from '../../server/platform/db/port.ts';
import type { Life } from './life.ts';

type Publication = {
  token: string;
  /** The process that holds the lease. */
  holder: Life | null;
  /** The process that held the lease before. */
  predecessor: Life | null;
  prefix: string | null;
  playable: number;
};

/** Checks that only the holder of a video's lease publishes and withdraws a part of it. */
export class EarlyPublications {
  private publications = new Map<string, Publication>();

  constructor(
    private readonly database: Database,
    private readonly fail: (text: string) => void,
  ) {}

  /** @param by the process that may have changed something since the last check */
  async check(by: Life | null): Promise<void> {
    const rows = await this.database.db
      .selectFrom('files')
      .innerJoin('media', 'media.file_id', 'files.id')
      .innerJoin('jobs', 'jobs.subject', 'files.id')
      .select(['files.id', 'media.prefix', 'media.playable', 'jobs.lease_token as token'])
      .where('media.status', '=', 'processing')
      .where('files.file_type', '=', 'video')
      .where('jobs.state', '=', 'running')
      .execute();
    const current = new Map<string, Publication>();
    for (const { id, token, prefix, playable } of rows) {
      if (token === null) continue;
      const before = this.publications.get(id);
      if (before?.token !== token) {
        const predecessor = before?.holder ?? null;
        current.set(id, { token, holder: by, predecessor, prefix, playable });
        continue;
      }
      current.set(id, { ...before, prefix, playable });
      const isSame = playable === before.playable && prefix === before.prefix;
      if (!isSame && by !== before.holder)
        this.fail(`${by?.name} changed the early publication of ${id} without its lease`);
    }
    this.publications = current;
  }

  /** Whether a process has published a part of a video that it is still working on. */
  isPublisher(life: Life): boolean {
    return this.all.some(({ holder, playable }) => holder === life && playable === 1);
  }

  /** Whether another process has got the lease of a video that a process was working on. */
  isSucceeded(life: Life): boolean {
    return this.all.some(({ holder, predecessor }) => predecessor === life && holder !== life);
  }

  private get all(): Publication[] {
    return [...this.publications.values()];
  }
}
