import { LRUCache } from 'lru-cache';
import { HOUR, MINUTE, SECOND } from '../../../contract/limits.ts';
import type { DeriveJob, MediaResult } from '../../../contract/media.ts';
import type { Transform } from '../../../contract/transforms.ts';
import { AppError, isUnavailable, notFound, tooMany, unavailable } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';
import type { DerivativeRow } from '../../../platform/db/tables.ts';
import { newId } from '../../../platform/ids.ts';
import { rootOf } from '../../../platform/region-routing.ts';
import { cancelDelete, scheduleDelete } from '../../../platform/storage/pending-deletes.ts';
import { derivativePrefix, type Files } from '../../files/service.ts';
import type { Eviction } from './eviction.ts';
import { createSingleFlight } from './single-flight.ts';
import type { Published } from './source.ts';
import * as store from './store.ts';

/** The media process, as this needs it. Rejects with `permanent` set where trying again is useless. */
export type Deriver = {
  run(
    job: DeriveJob,
    options: { signal: AbortSignal; onProgress: (percent: number) => void },
  ): Promise<MediaResult>;
};

/** Derivatives of one file, so that nobody can fill the disk by counting pixels. */
export const MAX_TRANSFORMS_PER_FILE = 64;
/** One that nobody has asked for this long gives its place to a new one of its file. */
const IDLE = HOUR;
/** Being made or waiting for it, in this process. */
const LINE = 64;
/** Longer than making one can take, waiting included. */
const ABANDONED = 30 * MINUTE;
const FAILURES = 5000;
/** What fails is not tried again for so long: it may have cost a process. */
const PERMANENT_LIFE = 10 * MINUTE;
const PASSING_LIFE = 5 * SECOND;

/** Another process was faster. */
class LostRace extends Error {
  override name = 'LostRace';
  constructor(readonly winner: DerivativeRow) {
    super('another process has made it');
  }
}

/** Has derivatives made, each once, and makes their rows. */
export function createTransformGenerator(services: {
  database: Database;
  clock: Clock;
  files: Pick<Files, 'weigh'>;
  media: Deriver;
  upkeep: Eviction;
}) {
  const { database, clock, files, media, upkeep } = services;
  const { db } = database;
  const flights = createSingleFlight<DerivativeRow>(LINE);
  const failures = new LRUCache<string, AppError>({ max: FAILURES });

  /** Throws too-many unless the file has a place for one more, which may be that of an idle one. */
  async function makeRoom(tx: Tx, file: Published): Promise<void> {
    const oldest = await oldestOfFull(tx, file);
    if (oldest) await upkeep.remove(tx, oldest);
  }

  /** Undefined where the file has a place left. Throws too-many where none of its is idle. */
  async function oldestOfFull(from: Executor, file: Published): Promise<store.Kept | undefined> {
    if ((await store.countOf(from, file.id)) < MAX_TRANSFORMS_PER_FILE) return undefined;
    const oldest = await store.oldestOf(from, file.id);
    const wait = (oldest?.used_at ?? 0) + IDLE - clock();
    if (wait <= 0) return oldest;
    const text = `This image has been made in ${MAX_TRANSFORMS_PER_FILE} ways, which is all there may be. Ask for one of them, or try again later.`;
    throw tooMany(text, wait);
  }

  const commit = (file: Published, row: DerivativeRow): Promise<void> =>
    database.transaction(async (tx) => {
      if (!(await cancelDelete(tx, row.prefix)))
        throw unavailable('The work came too late.', SECOND);
      // Locks the file's row: from here on nobody adds to it or deletes it.
      if (!(await files.weigh(tx, file, row.bytes))) throw notFound('File');
      const winner = await store.findDerivative(tx, file.id, row.transform);
      if (winner) throw new LostRace(winner);
      await makeRoom(tx, file);
      await store.insertDerivative(tx, row);
    });

  async function make(
    file: Published,
    name: string,
    transform: Transform,
    key: string,
    signal: AbortSignal,
  ): Promise<DerivativeRow> {
    await oldestOfFull(db, file);
    const id = newId(clock());
    const prefix = derivativePrefix(rootOf(file.prefix), file.bucket_id, file.id, id);
    await scheduleDelete(db, prefix, clock() + ABANDONED);
    try {
      const source = file.prefix + name;
      const baseName = name.slice(0, name.lastIndexOf('.'));
      const job = { kind: 'derive', source, prefix, baseName, transform } as const;
      const made = await media.run(job, { signal, onProgress: () => {} });
      const bytes = made.objects.reduce((sum, object) => sum + object.size, 0);
      const used_at = clock();
      const row = {
        id,
        file_id: file.id,
        transform: key,
        prefix,
        name: made.entry,
        bytes,
        used_at,
      };
      await commit(file, row);
      upkeep.added(bytes);
      return row;
    } catch (error) {
      // The row may be there and its answer lost; where it is not, the object is swept by and by.
      if (!isUnavailable(error)) await scheduleDelete(db, prefix, clock());
      if (error instanceof LostRace) return error.winner;
      throw error;
    }
  }

  function remember(id: string, error: unknown, signal: AbortSignal): unknown {
    if (error instanceof AppError || signal.aborted) return error;
    const { permanent, reason } = error as { permanent?: unknown; reason?: unknown };
    if (typeof reason !== 'string') return error;
    const failure = permanent
      ? new AppError(422, 'cannot-transform', reason)
      : unavailable('The image could not be made. Try again soon.', PASSING_LIFE);
    failures.set(id, failure, { ttl: permanent ? PERMANENT_LIFE : PASSING_LIFE });
    return failure;
  }

  return {
    /**
     * Makes one derivative of the image `name` of a file; whoever asks for the same meanwhile
     * gets the same. An aborted `signal` gives the place in the line up. Throws too-many,
     * unavailable, not-found, cannot-transform.
     */
    async make(
      file: Published,
      name: string,
      transform: Transform,
      key: string,
      signal: AbortSignal,
    ): Promise<DerivativeRow> {
      const id = `${file.id} ${key}`;
      const failed = failures.get(id);
      if (failed) throw failed;
      return flights.join(id, signal, (all) =>
        make(file, name, transform, key, all).catch((error) => {
          throw remember(id, error, all);
        }),
      );
    },
  };
}
