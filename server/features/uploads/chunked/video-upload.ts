import { IMAGE_MAX_BYTES, SECOND, VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import { AppError, badRequest, invalid, isUnavailable, tooMany } from '../../../errors.ts';
import { KeyedSemaphore } from '../../../platform/keyed-semaphore.ts';
import type { Caller } from '../../tokens/guard.ts';
import { requireMayReplace } from '../parsing/destination.ts';
import type { FormFields } from '../parsing/form-fields.ts';
import { contentLength, type FilePart, readMultipart } from '../parsing/multipart.ts';
import { requireFreePath } from '../sessions/complete-upload.ts';
import { discardIfRefused, discardUpload } from '../sessions/discard-upload.ts';
import { readContent } from '../sessions/part-content.ts';
import { findUpload } from '../sessions/store.ts';
import type { UploadSessionRow } from '../tables.ts';
import {
  type ChunkFields,
  hasChunkNumbers,
  isOfSameChunk,
  readChunkFields,
} from './chunk-fields.ts';
import { type ChunkResult, earlierResult, recordChunk, requireSameChunk } from './chunks.ts';
import { type OpenUpload, openUpload } from './open-upload.ts';
import { PlainChunks } from './plain-chunks.ts';
import { openStaged, type StagedPart, stagePart } from './staged-parts.ts';
import {
  discardPart,
  type StoreDeps,
  type StoredChunk,
  storeChunk,
  storeThumbnail,
} from './store-part.ts';

type UploadDeps = StoreDeps & { maxVideoBytes: number };
type Deps = UploadDeps & { attempts: KeyedSemaphore; plain: PlainChunks };
type VideoUpload = (caller: Caller, request: Request) => Promise<ChunkResult>;

/** A client that lost its connection sends a chunk again while its last request still seems to run. */
const MAX_CONCURRENT_ATTEMPTS = 4;

const tooManyAttempts = () =>
  tooMany('This chunk is being sent too often at once. Try again later.', 5 * SECOND);

/**
 * Creates the function that reads the form of one chunk: `file`, an optional `thumbnail` with the first chunk, and the fields before or after
 * them. Chunks may arrive in any order and repeatedly. Throws AppError, conflict where the client's id is that of
 * another video, and then the chunk does not count, and nothing of it stays stored.
 */
export function createVideoUpload(deps: UploadDeps): VideoUpload {
  // An upload reserves each of its chunks once, and clients send as slowly as they like: without a limit, any number of
  // requests for one chunk could fill the disk.
  const attempts = new KeyedSemaphore(MAX_CONCURRENT_ATTEMPTS, tooManyAttempts);
  const shared = { ...deps, attempts, plain: new PlainChunks() };
  return (caller, request) => new ChunkRequest(shared, caller, request).run();
}

/** A request that sends a chunk. */
class ChunkRequest {
  /** The files that came before the fields which say what they are. */
  private readonly staged: StagedPart[] = [];
  private opened: (OpenUpload & { chunk: ChunkFields }) | undefined;
  private hasThumbnail = false;
  /** The object key of the thumbnail. */
  private thumbnail: string | null = null;
  private stored: StoredChunk | undefined;
  /** The result for a chunk that has arrived before. */
  private earlier: ChunkResult | undefined;
  private isCounted = false;
  /** Whether something that arrived was refused. A form that is cut off says nothing about its chunk. */
  private isRefused = false;
  private endAttempt: (() => void) | undefined;

  constructor(
    private readonly deps: Deps,
    private readonly caller: Caller,
    private readonly request: Request,
  ) {}

  async run(): Promise<ChunkResult> {
    const { request, caller } = this;
    try {
      const maxBytes = VIDEO_CHUNK_BYTES + IMAGE_MAX_BYTES;
      const onFile = (part: FilePart) => this.judge(this.receive(part));
      const fields = await readMultipart(request, { maxBytes, caller, onFile });
      return await this.judge(this.finish(fields));
    } catch (error) {
      await this.cleanUp(error);
      throw error;
    } finally {
      for (const staged of this.staged) await staged.discard();
      this.endAttempt?.();
    }
  }

  private async judge<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      this.isRefused = error instanceof AppError && error.status < 500;
      throw error;
    }
  }

  private async receive(part: FilePart): Promise<void> {
    if (part.field !== 'thumbnail' && part.field !== 'file') {
      throw badRequest('Send the chunk in the file field.');
    }
    if (hasChunkNumbers(part.fields)) return this.store(part);
    this.staged.push(await stagePart(this.deps, this.caller.bucket, part));
  }

  /** Stores a file of the form below its upload, unless its chunk has arrived before. */
  private async store(part: FilePart): Promise<void> {
    const { deps, caller } = this;
    const { upload, chunk } = await this.open(part.fields);
    const earlier = await earlierResult(deps, upload, chunk);
    if (!earlier) this.endAttempt ??= deps.attempts.acquire(`${upload.id} ${chunk.number}`);
    if (part.field === 'thumbnail') {
      if (this.hasThumbnail) throw badRequest('Send one thumbnail.');
      this.hasThumbnail = true;
      // Nothing of a repeated chunk is stored: the file would own it, and nobody would pay for it.
      if (earlier) return;
      const from = { length: contentLength(this.request), owner: caller.bucket.user_id };
      this.thumbnail = await storeThumbnail(deps, upload, chunk, part, from);
      return;
    }
    if (this.stored || this.earlier) throw badRequest('Send one chunk per request.');
    if (earlier) {
      const content = await readContent(part.body);
      await requireSameChunk(deps.database.db, upload.id, chunk.number, content);
      this.earlier = earlier;
    } else this.stored = await storeChunk(deps, caller.bucket, upload, chunk, part);
  }

  /** Returns the upload of the chunk that the fields name. */
  private async open(fields: FormFields) {
    const { deps, caller, request } = this;
    const chunk = readChunkFields(fields, request.headers, deps.maxVideoBytes);
    this.opened ??= { ...(await openUpload(deps, caller, chunk.clientId, chunk.total)), chunk };
    if (isOfSameChunk(this.opened.chunk, chunk)) return { upload: this.opened.upload, chunk };
    throw invalid('Send client_id, chunk_number and total_chunks once.');
  }

  /** Judges the whole form, counts its chunk, and returns what has arrived. */
  private async finish(fields: FormFields): Promise<ChunkResult> {
    const { deps, caller } = this;
    for (const staged of this.staged) await this.store(openStaged(deps.objects, staged, fields));
    const { stored, earlier } = this;
    if (!stored && !earlier) throw badRequest('The video file is required.', 'no-file');
    const { upload, chunk } = await this.open(fields);
    if (this.hasThumbnail && !chunk.isOptimized) {
      throw invalid("With optimize=no, don't send a thumbnail.");
    }
    const result = stored ? await this.count(upload, chunk, stored) : earlier;
    if (!result) throw new Error('A chunk was neither stored nor there.');
    if (!stored) await this.discardObjects();
    this.isCounted = true;
    if (result.received < result.total || result.file) return result;
    return deps.plain.finish(deps, caller, upload.id);
  }

  private async count(
    upload: UploadSessionRow,
    chunk: ChunkFields,
    stored: StoredChunk,
  ): Promise<ChunkResult> {
    const { deps, caller, thumbnail } = this;
    const { number, total } = chunk;
    const { fileName, ...content } = stored;
    const metadata = JSON.stringify({ filename: fileName, ...chunk.metadata });
    const description = number === 0 ? { metadata, thumbnail } : null;
    const whole = { number, total, ...content, description };
    const { result, isStored } = await discardIfRefused(deps, upload, async () => {
      if (number === 0) await this.requireDestination(upload, chunk, fileName);
      return recordChunk(deps, caller, upload.id, whole);
    });
    if (!isStored) await this.discardObjects();
    return result;
  }

  /** Throws where a video could not get its path now. */
  private async requireDestination(
    { id }: UploadSessionRow,
    chunk: ChunkFields,
    fileName: string,
  ): Promise<void> {
    const { database, files } = this.deps;
    requireMayReplace(this.caller, chunk.destination);
    try {
      await requireFreePath(files, this.caller.bucket.id, { ...chunk, fileName }, 'video');
    } catch (error) {
      // The same chunk of another request may have been the last one, and its file is at the path.
      if (!(await findUpload(database.db, id))?.file_id) throw error;
    }
  }

  private async discardObjects(): Promise<void> {
    for (const key of [this.stored?.key, this.thumbnail])
      if (key) await discardPart(this.deps, key);
  }

  /** Removes what a failed request has stored. A client whose connection was cut sends the chunk again. */
  private async cleanUp(error: unknown): Promise<void> {
    // With the database unavailable, the chunk may count nevertheless: the pending delete then decides.
    if (!this.isCounted && !isUnavailable(error)) await this.discardObjects();
    if (this.opened?.isNew && this.isRefused) {
      await discardUpload(this.deps, this.opened.upload, { isUntouched: true });
    }
  }
}
