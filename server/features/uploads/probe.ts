import { isPermanent } from '../../contract/failure.ts';
import { VIDEO_CHUNK_BYTES } from '../../contract/limits.ts';
import type { ProbeJob, Size } from '../../contract/media.ts';
import { AppError, badRequest, invalid, unavailable, upstreamUnavailable } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { FairLimiter } from '../../platform/fair-limiter.ts';
import { newId } from '../../platform/ids.ts';
import { KeyedSemaphore } from '../../platform/keyed-semaphore.ts';
import { scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import type { Bucket } from '../buckets/service.ts';
import { uploadPrefix } from '../files/service.ts';
import type { MediaProcess } from '../processing/service.ts';
import type { Caller } from '../tokens/guard.ts';
import {
  type FilePart,
  FORM_TIMEOUT_MS,
  readMultipart,
  withoutBytes,
} from './parsing/multipart.ts';
import { peekStream, SNIFF_BYTES } from './parsing/sniff.ts';
import { requireVideo } from './parsing/type-errors.ts';

type Deps = { database: Database; objects: ObjectStore; clock: Clock; media: MediaProcess };
type Probe = (caller: Caller, request: Request) => Promise<Size>;

/**
 * A request needs 18 MiB of disk while it arrives, as slowly as its client likes. So only requests of the
 * same account count: anybody with a write token could keep others from their place.
 */
const REQUESTS_PER_ACCOUNT = 8;
/** The media process analyses two videos at a time, and gets the next ones while it does. */
const ANALYSIS_LIMITS = {
  running: 4,
  runningPerKey: 2,
  waiting: 256,
  waitingPerKey: REQUESTS_PER_ACCOUNT,
};
const RETRY_AFTER_MS = 2000;

const tooManyProbes = () =>
  unavailable('Too many videos are being analysed. Try again in a moment.', RETRY_AFTER_MS);

/** Creates the function that reads a video's width and height; see `probe`. */
export function createProbe(deps: Deps): Probe {
  const requests = new KeyedSemaphore(REQUESTS_PER_ACCOUNT, tooManyProbes);
  const analyses = new FairLimiter(ANALYSIS_LIMITS, tooManyProbes);
  return (caller, request) =>
    requests.run(caller.bucket.user_id, () => probe(deps, analyses, caller, request));
}

/**
 * Reads a form with `file`, the first 9 MiB of a video or less, and optionally `tail`, the last 9
 * MiB. Neither stays stored. Throws AppError, with the code `need-tail` where the first bytes are
 * not enough, as with a video whose index is at its end.
 */
async function probe(
  deps: Deps,
  analyses: FairLimiter,
  caller: Caller,
  request: Request,
): Promise<Size> {
  const { database, clock } = deps;
  const { bucket } = caller;
  const prefix = uploadPrefix('', newId(clock()));
  const parts = new Map<string, string>();
  await scheduleDelete(database.db, prefix, clock() + FORM_TIMEOUT_MS);
  try {
    await readMultipart(request, {
      maxBytes: 2 * VIDEO_CHUNK_BYTES,
      caller,
      async onFile(part) {
        if (part.field !== 'file' && part.field !== 'tail') {
          throw badRequest('Send the start of the video in the file field.');
        }
        if (parts.has(part.field)) throw badRequest('Send one video per request.');
        parts.set(part.field, await storePart(deps, bucket, prefix, part));
      },
    });
    const head = parts.get('file');
    if (!head) throw badRequest('The video file is required.', 'no-file');
    const tail = parts.get('tail') ?? null;
    const { signal } = request;
    // The place among the analyses is taken when all bytes are there.
    const size = await analyses
      .run(bucket.user_id, () => analyse(deps, { kind: 'probe', head, tail }, signal), signal)
      .catch((error) => {
        throw signal.aborted ? badRequest('The request was incomplete.') : error;
      });
    if (!size)
      throw invalid('The end of the video is needed too. Send it in the tail field.', 'need-tail');
    return size;
  } finally {
    await scheduleDelete(database.db, prefix, clock());
  }
}

async function analyse({ media }: Deps, job: ProbeJob, signal: AbortSignal): Promise<Size | null> {
  try {
    return (await media.run(job, { signal, onProgress: () => {} })).size;
  } catch (error) {
    if (signal.aborted || error instanceof AppError) throw error;
    if (isPermanent(error)) throw invalid(error.message, 'unreadable-video');
    throw upstreamUnavailable(
      error,
      'The video could not be analysed. Try again in a moment.',
      RETRY_AFTER_MS,
    );
  }
}

async function storePart(
  deps: Deps,
  bucket: Bucket,
  prefix: string,
  part: FilePart,
): Promise<string> {
  const { head, body } = await peekStream(part.body, SNIFF_BYTES);
  if (head.byteLength === 0) throw withoutBytes(part, 'The video file is required.');
  if (part.field === 'file') await requireVideo(head, bucket.id);
  const key = `${prefix}${part.field}`;
  await deps.objects.put(key, body, { maxBytes: VIDEO_CHUNK_BYTES, owner: bucket.user_id });
  return key;
}
