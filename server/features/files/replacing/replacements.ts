import type { Actor } from '../../../platform/audit/record.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { FileDeletion, FileOwner } from '../file-deletion.ts';
import type { EventFile } from '../file-wire.ts';
import { fileAt, movePath } from '../paths/insertion-store.ts';
import { fileById } from '../store.ts';
import * as store from './replacements-store.ts';

type Deps = { deletion: Pick<FileDeletion, 'deleteIn'> };

/** How many files one that takes a path deletes at most beside the one that was there. */
const MAX_DELETED_AT_ONCE = 64;

/**
 * Files that replace others once they are processed. Until then they are beside those, with a number, and the old ones
 * stay what their paths deliver. One whose processing fails stays where it is, and so does the old one.
 */
export class Replacements {
  constructor(private readonly deps: Deps) {}

  /**
   * Moves a file that is being published to the path that it was uploaded to, under the lock of its bucket, and deletes the
   * file that it replaces and those that were uploaded before it and still wait. It replaces no file that came to the
   * path in another way since.
   */
  async takePathIn(tx: Tx, { id, userId }: Pick<EventFile, 'id' | 'userId'>): Promise<void> {
    const own = await store.takeReplacement(tx, id);
    const file = own && (await fileById(tx, id));
    if (!file) return;
    const current = await fileAt(tx, own.bucket_id, own.path);
    if (current !== undefined && current !== own.replaces) return;
    const bucket = { id: own.bucket_id, user_id: userId, region: file.region };
    const actor = JSON.parse(own.actor) as Actor;
    const before = { before: own.position, limit: MAX_DELETED_AT_ONCE };
    const earlier = await store.waitingFiles(tx, own, before);
    const replaced = current === undefined ? earlier : [...earlier, current];
    await this.deleteIn(tx, bucket, replaced, actor);
    await movePath(tx, file, { path: own.path, name: file.name });
    await store.replaceInstead(tx, own);
  }

  /** Deletes the files that wait for a path which a file takes at once, as that was uploaded after them. */
  async endWaitingIn(tx: Tx, bucket: FileOwner, path: string, actor: Actor): Promise<void> {
    const place = { bucket_id: bucket.id, path };
    const waiting = await store.waitingFiles(tx, place, { limit: MAX_DELETED_AT_ONCE });
    await this.deleteIn(tx, bucket, waiting, actor);
  }

  private async deleteIn(tx: Tx, bucket: FileOwner, ids: string[], actor: Actor): Promise<void> {
    const removing = { cause: 'replaced' } as const;
    for (const id of ids) await this.deps.deletion.deleteIn(tx, bucket, id, actor, removing);
  }
}
