import { chown, lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GIB, SECOND } from '../../server/contract/limits.ts';
import { memoizeAsync } from '../../server/contract/memoize.ts';
import type { DecodedImage } from '../image/image-info.ts';
import { isOutOfMemory, tooMuchMemory } from '../image/memory.ts';
import { MediaFailure, permanentFailure, temporaryFailure } from '../media-failure.ts';
import { confineDecoder, toolUser } from '../sandbox/confine.ts';
import { chownToToolUser } from '../sandbox/ownership.ts';
import { currentProcessorTime } from '../sandbox/processor-time.ts';
import { spawnDecoder } from '../sandbox/spawn.ts';
import { readLines, readTail } from '../sandbox/streams.ts';
import { makeWorkFolder, type WorkFolder } from '../work-folder.ts';
import type { DecoderStart } from './decoder.ts';
import { type DecodeReply, type DecodeTask, parseReply, RESULT, SOURCE } from './tasks.ts';

export type DecoderOptions = {
  /** The command of a program that calls `runDecoder` with the JSON of its last argument. */
  command: string[];
  /** What that program reads in order to start, beside the system's files. */
  reads: string[];
  /** Folders whose names it lists in order to start. */
  lists: string[];
  /** The folder below which each decoder gets its own. */
  workDir: string;
  /** Bytes that an image may take beside the program itself. */
  memoryBytes?: number;
};

const START_TIMEOUT_MS = 30 * SECOND;
/** The largest result or temporary file. An uncompressed image of 100 megapixels takes 400 MB. */
const MAX_FILE_BYTES = GIB;
/** An image of 100 megapixels takes up to 2.2 GB. */
const MAX_MEMORY_BYTES = 3 * GIB;

type Child = ReturnType<typeof spawnDecoder>;

/**
 * One decoder: a confined process that sees one image at a time, in a folder of its own. It can be killed
 * without a loss to anybody but the image in it.
 */
export class DecoderProcess {
  private readonly replies: AsyncGenerator<string>;
  private readonly stderrTail: Promise<string>;

  private constructor(
    private readonly child: Child,
    private readonly folder: WorkFolder,
  ) {
    this.replies = readLines(child.stdout);
    this.stderrTail = readTail(child.stderr);
  }

  /**
   * Starts a decoder. Throws a MediaFailure that counts as no attempt where that is not possible, or the
   * signal's reason after an abort.
   */
  static async start(
    { command, reads, lists, workDir, memoryBytes = MAX_MEMORY_BYTES }: DecoderOptions,
    signal: AbortSignal,
  ): Promise<DecoderProcess> {
    const folder = await makeWorkFolder(workDir);
    await chownToToolUser(folder.path);
    const start: DecoderStart = {
      parent: process.pid,
      user: await toolUser(),
      memoryBytes: Math.min(memoryBytes, MAX_MEMORY_BYTES),
    };
    const confined = confineDecoder([...command, JSON.stringify(start)], {
      cwd: folder.path,
      fileBytes: MAX_FILE_BYTES,
      files: { read: reads, write: [folder.path] },
      list: lists,
    });
    const decoder = new DecoderProcess(spawnDecoder(confined, folder.path), folder);
    const reply = await decoder.nextReply(START_TIMEOUT_MS, signal);
    if (reply?.type === 'ready') return decoder;
    await decoder.stop();
    signal.throwIfAborted();
    const cause = new Error(await decoder.stderrTail);
    throw new MediaFailure("Images can't be processed right now.", 'later', { cause });
  }

  get pid(): number {
    return this.child.pid;
  }

  /**
   * Does a task. Throws MediaFailure, or the signal's reason after an abort. Whatever happened, the decoder
   * is either free or dead afterwards; see `isAlive`.
   */
  async run(
    task: DecodeTask,
    files: { source: string; result: string },
    { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  ): Promise<DecodedImage> {
    await this.take(files.source);
    const startedAt = performance.now();
    const reply = await this.answer(task, timeoutMs, signal);
    if (reply?.type === 'done') {
      await this.give(files.result);
      return reply.image;
    }
    if (reply?.type === 'failed') {
      throw new MediaFailure(reply.reason, reply.retry, {
        ...(reply.detail && { cause: new Error(reply.detail) }),
      });
    }
    await this.stop();
    signal.throwIfAborted();
    const isTooSlow = performance.now() - startedAt >= timeoutMs;
    if (isTooSlow || this.child.signalCode === 'SIGXCPU') {
      throw permanentFailure('The image took too long to process.');
    }
    const lastWords = new Error(await this.stderrTail);
    if (isOutOfMemory(lastWords.message)) throw tooMuchMemory(lastWords);
    throw temporaryFailure('Processing was interrupted.', lastWords);
  }

  /** Whether it can take another task. */
  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null && !this.child.killed;
  }

  /** Kills the decoder and removes its folder. */
  readonly stop = memoizeAsync(async (): Promise<void> => {
    this.child.kill('SIGKILL');
    await this.child.exited;
    await this.folder.remove();
  });

  /** Removes what the last task left. */
  async clear(): Promise<void> {
    for (const name of await readdir(this.folder.path)) {
      await rm(join(this.folder.path, name), { recursive: true, force: true });
    }
  }

  /** Returns what the decoder answers to a task; null for nothing. What it does for that counts for who has it done. */
  private async answer(
    task: DecodeTask,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<DecodeReply | null> {
    const processorTime = currentProcessorTime();
    processorTime?.started(this.pid);
    try {
      this.child.stdin.write(`${JSON.stringify(task)}\n`);
      this.child.stdin.flush();
      return await this.nextReply(timeoutMs, signal);
    } finally {
      processorTime?.ended(this.pid);
    }
  }

  /** Returns null where the decoder writes nonsense, ends, or is killed by the timeout or the signal. */
  private async nextReply(timeoutMs: number, signal: AbortSignal): Promise<DecodeReply | null> {
    const kill = () => this.child.kill('SIGKILL');
    const clock = setTimeout(kill, timeoutMs);
    signal.addEventListener('abort', kill);
    if (signal.aborted) kill();
    try {
      const { value, done } = await this.replies.next();
      return done || signal.aborted ? null : parseReply(value);
    } catch {
      return null;
    } finally {
      clearTimeout(clock);
      signal.removeEventListener('abort', kill);
    }
  }

  private async take(source: string): Promise<void> {
    const path = join(this.folder.path, SOURCE);
    await rename(source, path);
    const user = await toolUser();
    if (user !== null) await chown(path, user, user);
  }

  /**
   * Moves the result out of the decoder's reach before it looks at it. A link would make us publish what it
   * leads to.
   */
  private async give(path: string): Promise<void> {
    await rename(join(this.folder.path, RESULT), path);
    const entry = await lstat(path);
    if (!entry.isFile() || entry.nlink !== 1) {
      await rm(path, { recursive: true, force: true });
      throw permanentFailure('The image could not be processed safely.');
    }
    if ((await toolUser()) !== null) {
      await chown(path, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    }
  }
}
