import { isPermanent } from '../../contract/failure.ts';
import { HOUR, VIDEO_CHUNK_BYTES } from '../../contract/limits.ts';
import type { Size } from '../../contract/media.ts';
import { badRequest, invalid, unavailable, upstreamUnavailable } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import { scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import { type MediaProcess, uploadPrefix } from '../files/service.ts';
import { type FilePart, readMultipart } from './parsing/multipart.ts';
import { looksLikeVideo, notAVideo, peekStream, SNIFF_BYTES } from './parsing/sniff.ts';

type Services = { database: Database; objects: ObjectStore; clock: Clock; media: MediaProcess };
type Probe = (bucketId: string, request: Request) => Promise<Size>;

/** Each probe needs 18 MiB of disk and a slot of the media process, while a user waits for it. */
const PROBE_CONCURRENCY = 8;
const RETRY_AFTER_MS = 2000;

/** Creates the function that reads a video's width and height; see `probe`. */
export function createProbe(services: Services): Probe {
  let running = 0;
  return async (bucketId, request) => {
    if (running >= PROBE_CONCURRENCY) {
      throw unavailable(
        'Too many videos are being analysed. Try again in a moment.',
        RETRY_AFTER_MS,
      );
    }
    running += 1;
    try {
      return await probe(services, bucketId, request);
    } finally {
      running -= 1;
    }
  };
}

/**
 * Reads a form with `file`, the first 9 MiB of a video or less, and optionally `tail`, the last 9
 * MiB. Neither stays stored. Throws AppError, with the code `need-tail` where the first bytes are
 * not enough, as with a video whose index is at its end.
 */
async function probe(services: Services, bucketId: string, request: Request): Promise<Size> {
  const { database, clock, media } = services;
  const prefix = uploadPrefix('', newId(clock()));
  const parts = new Map<string, string>();
  await scheduleDelete(database.db, prefix, clock() + HOUR);
  try {
    await readMultipart(request, {
      maxBytes: 2 * VIDEO_CHUNK_BYTES,
      async onFile(part) {
        if (part.field !== 'file' && part.field !== 'tail') {
          throw badRequest('Send the start of the video in the file field.');
        }
        if (parts.has(part.field)) throw badRequest('Send one video per request.');
        parts.set(part.field, await storePart(services, { bucketId, prefix }, part));
      },
    });
    const head = parts.get('file');
    if (!head) throw badRequest('The video file is required.', 'no-file');
    const tail = parts.get('tail') ?? null;
    const { signal } = request;
    const options = { signal, onProgress: () => {} };
    const { size } = await media.run({ kind: 'probe', head, tail }, options).catch((error) => {
      if (signal.aborted) throw badRequest('The request was incomplete.');
      if (isPermanent(error)) throw invalid(error.message, 'unreadable-video');
      throw upstreamUnavailable(
        error,
        'The video could not be analysed. Try again in a moment.',
        RETRY_AFTER_MS,
      );
    });
    if (!size)
      throw invalid('The end of the video is needed too. Send it in the tail field.', 'need-tail');
    return size;
  } finally {
    await scheduleDelete(database.db, prefix, clock());
  }
}

async function storePart(
  services: Services,
  { bucketId, prefix }: { bucketId: string; prefix: string },
  part: FilePart,
): Promise<string> {
  const { head, body } = await peekStream(part.body, SNIFF_BYTES);
  if (head.byteLength === 0) throw badRequest('The video file is required.', 'no-file');
  if (part.field === 'file' && !(await looksLikeVideo(head))) {
    throw await notAVideo(head, bucketId);
  }
  const key = `${prefix}${part.field}`;
  await services.objects.put(key, body, { maxBytes: VIDEO_CHUNK_BYTES });
  return key;
}
