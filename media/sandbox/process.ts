import { SECOND } from '../../server/contract/limits.ts';
import { type Confinement, confine } from './confine.ts';
import { chownToToolUser, reclaimFromToolUser } from './ownership.ts';
import { currentProcessorTime } from './processor-time.ts';
import { spawnTool } from './spawn.ts';
import { readTail } from './streams.ts';

/** What is kept of the output of a tool; the rest is cut off. */
export const STDOUT_BYTES = 1024 * 1024;
const MAX_LINE_LENGTH = 8 * 1024;
/** The kernel enforces the limit by ticks but reports the exact time; the two differ a little. */
const CPU_TOLERANCE = 0.9;

const MICROSECONDS_PER_MS = 1000;

/** A tool has failed. `stderrTail` contains paths, so it is for the log and never for the user. */
export class ToolFailedError extends Error {
  override name = 'ToolFailedError';

  constructor(
    readonly tool: string,
    readonly exitCode: number | null,
    readonly signal: string | number | null,
    /** Whether it was stopped by its timeout or its CPU limit. */
    readonly timedOut: boolean,
    readonly stderrTail: string,
  ) {
    super(
      `${tool} ended with ${signal ?? exitCode}${timedOut ? ' (time limit)' : ''}: ${stderrTail}`,
    );
  }
}

export type ToolRun = {
  /** The program, by name or absolute path, and its arguments. */
  command: string[];
  cwd: string;
  /**
   * Whether the folder `cwd` is the job's own, in which the tool can write. Tools run as another user where
   * possible, which can't enter the folders above, so the command must name files relative to it.
   */
  isPrivate?: boolean;
  /** Files outside of `cwd` that the tool reads, by their absolute paths. */
  sources?: string[];
  timeoutMs: number;
  signal: AbortSignal;
  limits: Confinement;
  /** Called with each line of standard output, without its line end. */
  onStdoutLine?: (line: string) => void;
  /** Called with each line of standard error, without its line end. */
  onStderrLine?: (line: string) => void;
};

/**
 * Runs ffmpeg or ffprobe confined, without standard input and without our environment. Resolves with the
 * first MiB of standard output and the last 8 KiB of standard error after the process has ended. Throws
 * ToolFailedError for any exit code except 0, and the signal's reason after an abort. The process is always dead
 * by then.
 */
export async function runTool(run: ToolRun): Promise<{ stdout: string; stderrTail: string }> {
  run.signal.throwIfAborted();
  if (!run.isPrivate) return runConfined(run);
  await chownToToolUser(run.cwd);
  const result = await runConfined(run);
  await reclaimFromToolUser(run.cwd);
  return result;
}

async function runConfined(run: ToolRun): Promise<{ stdout: string; stderrTail: string }> {
  const { cwd, limits, isPrivate = false, sources = [] } = run;
  const files = { read: sources, write: isPrivate ? [cwd] : [] };
  const command = await confine(run.command, { cwd, limits, files });
  run.signal.throwIfAborted();
  const child = spawnTool(command, cwd);
  const processorTime = currentProcessorTime();
  processorTime?.started(child.pid);
  const kill = () => child.kill('SIGKILL');
  let isTimedOut = false;
  const clock = setTimeout(() => {
    isTimedOut = true;
    kill();
  }, run.timeoutMs);
  run.signal.addEventListener('abort', kill);
  try {
    const [stdout, stderrTail] = await Promise.all([
      readStdout(child.stdout, run.onStdoutLine),
      readTail(child.stderr, run.onStderrLine),
      child.exited,
    ]);
    run.signal.throwIfAborted();
    if (child.exitCode === 0) return { stdout, stderrTail };
    const hasBurnt = processorMs(child) >= run.limits.cpuSeconds * SECOND * CPU_TOLERANCE;
    const timedOut = isTimedOut || hasBurnt || child.signalCode === 'SIGXCPU';
    const tool = run.command[0] ?? '';
    throw new ToolFailedError(tool, child.exitCode, child.signalCode, timedOut, stderrTail);
  } finally {
    clearTimeout(clock);
    run.signal.removeEventListener('abort', kill);
    kill();
    await child.exited;
    processorTime?.ended(child.pid, processorMs(child));
  }
}

/** Returns the milliseconds of processor time that a process has had which has ended. */
const processorMs = (child: Bun.Subprocess): number =>
  Number(child.resourceUsage()?.cpuTime.total ?? 0) / MICROSECONDS_PER_MS;

async function readStdout(
  stream: ReadableStream<Uint8Array>,
  onLine: ((line: string) => void) | undefined,
): Promise<string> {
  const decoder = new TextDecoder();
  let output = '';
  let partialLine = '';
  for await (const bytes of stream) {
    const text = decoder.decode(bytes, { stream: true });
    if (output.length < STDOUT_BYTES) output += text.slice(0, STDOUT_BYTES - output.length);
    if (!onLine) continue;
    const lines = (partialLine + text).split('\n');
    partialLine = (lines.pop() ?? '').slice(-MAX_LINE_LENGTH);
    for (const line of lines) onLine(line.trimEnd());
  }
  if (onLine && partialLine !== '') onLine(partialLine);
  return output;
}
