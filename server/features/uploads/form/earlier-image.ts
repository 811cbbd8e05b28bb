import type { FileWire } from '../../../contract/wire.ts';
import { conflict } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Statement } from '../../../platform/db/batch.ts';
import type { Database, Executor } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { Files } from '../../files/service.ts';
import { newUpload } from '../sessions/create-upload.ts';
import { clientIdTaken, fileOfUpload } from '../sessions/earlier-upload.ts';
import { isSameContent, newPart, type PartContent, readContent } from '../sessions/part-content.ts';
import * as parts from '../sessions/parts-store.ts';
import * as store from '../sessions/store.ts';

type Deps = { database: Database; clock: Clock; files: Files };

/** An image whose bytes are stored. */
type StoredImage = PartContent & {
  owner: store.UploadOwner;
  fileId: string;
  prefix: string;
  key: string;
};

/**
 * Returns the file that an image under this `client_id` has become; undefined where the id is new. Reads
 * the body only where the id is taken. Throws conflict where that image had other bytes, and gone where
 * its file has been deleted.
 */
export async function findEarlierImage(
  deps: Deps,
  owner: store.UploadOwner,
  body: AsyncIterable<Uint8Array>,
): Promise<FileWire | undefined> {
  const upload = await store.findClientUpload(deps.database.db, owner, deps.clock());
  return upload && earlierImage(deps, owner, await readContent(body));
}

/**
 * Returns the statements that insert the upload of an image, which is finished from the start, for as long as
 * those of videos stay. They throw what `otherwise` returns where another request has taken its `client_id`.
 */
export function imageInsertions(
  db: Executor,
  { owner, fileId, prefix, key, size, sha256 }: StoredImage,
  { now, otherwise }: { now: number; otherwise: () => unknown },
): Statement[] {
  const own = { id: newId(now), protocol: 'form', prefix, file_id: fileId } as const;
  const part = newPart({ upload_id: own.id, position: 0, size, object_key: key, sha256 });
  return [
    ...store.uploadInsertions(db, newUpload(owner, now, own), otherwise),
    parts.partInsertion(db, part),
  ];
}

/** Returns the file of the image that has a `client_id`. Throws conflict where that has other bytes. */
export async function earlierImage(
  deps: Deps,
  owner: store.UploadOwner,
  content: PartContent,
): Promise<FileWire> {
  const { db } = deps.database;
  const upload = await store.findClientUpload(db, owner, deps.clock());
  if (!upload) throw conflict('The upload has changed in the meantime. Try again.');
  const { protocol, file_id } = upload;
  const earlier = protocol === 'form' && (await parts.findPart(db, upload.id, 0));
  if (!file_id || !earlier || !isSameContent(earlier, content)) throw clientIdTaken();
  return fileOfUpload(deps, file_id);
}
