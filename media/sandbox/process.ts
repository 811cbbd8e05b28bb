import { type Confinement, confine } from './confine.ts';
import { handOver, takeBack } from './ownership.ts';
import { spawnTool } from './spawn.ts';

const STDOUT_BYTES = 1024 * 1024;
const STDERR_BYTES = 8 * 1024;
/** The kernel enforces the limit by ticks and reports the time exactly; the two differ a little. */
const CPU_TOLERANCE = 0.9;

/** A tool that ended badly. `stderrTail` is for the log, never for the user: it holds paths. */
export class ToolFailed extends Error {
  override name = 'ToolFailed';

  constructor(
    readonly tool: string,
    readonly exitCode: number | null,
    readonly signal: string | number | null,
    /** Stopped by its wall clock or CPU limit. */
    readonly timedOut: boolean,
    readonly stderrTail: string,
  ) {
    super(
      `${tool} ended with ${signal ?? exitCode}${timedOut ? ' (time limit)' : ''}: ${stderrTail}`,
    );
  }
}

export type ToolRun = {
  /** Program and arguments; the program by name or absolute path. */
  command: string[];
  cwd: string;
  /**
   * The folder at `cwd` is this job's alone, for the tool to write in. Tools run as another user
   * where they can, who cannot enter the folders above: the command must name files relative to it.
   */
  isPrivate?: boolean;
  timeoutMs: number;
  signal: AbortSignal;
  limits: Confinement;
  /** Called with each line of standard output, without its end. */
  onStdoutLine?: (line: string) => void;
};

/**
 * Runs ffmpeg or ffprobe, confined, without standard input or our environment. Resolves with the
 * first MiB of standard output and the last 8 KiB of standard error once the process has ended.
 * Throws ToolFailed on any other exit than 0, and the signal's reason after an abort; in every
 * case the process is dead by then.
 */
export async function runTool(run: ToolRun): Promise<{ stdout: string; stderrTail: string }> {
  run.signal.throwIfAborted();
  if (!run.isPrivate) return runConfined(run);
  await handOver(run.cwd);
  const ended = await runConfined(run);
  await takeBack(run.cwd);
  return ended;
}

async function runConfined(run: ToolRun): Promise<{ stdout: string; stderrTail: string }> {
  const child = spawnTool(confine(run.command, run.limits), run.cwd);
  const kill = () => child.kill('SIGKILL');
  let late = false;
  const clock = setTimeout(() => {
    late = true;
    kill();
  }, run.timeoutMs);
  run.signal.addEventListener('abort', kill);
  try {
    const [stdout, stderrTail] = await Promise.all([
      readStdout(child.stdout, run.onStdoutLine),
      readTail(child.stderr),
      child.exited,
    ]);
    run.signal.throwIfAborted();
    if (child.exitCode === 0) return { stdout, stderrTail };
    const cpuSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
    const timedOut = late || cpuSeconds >= run.limits.cpuSeconds * CPU_TOLERANCE;
    const tool = run.command[0] ?? '';
    throw new ToolFailed(tool, child.exitCode, child.signalCode, timedOut, stderrTail);
  } finally {
    clearTimeout(clock);
    run.signal.removeEventListener('abort', kill);
    kill();
    await child.exited;
  }
}

async function readStdout(
  stream: ReadableStream<Uint8Array>,
  onLine: ((line: string) => void) | undefined,
): Promise<string> {
  const decoder = new TextDecoder();
  let kept = '';
  let open = '';
  for await (const bytes of stream) {
    const text = decoder.decode(bytes, { stream: true });
    if (kept.length < STDOUT_BYTES) kept += text.slice(0, STDOUT_BYTES - kept.length);
    if (!onLine) continue;
    const lines = (open + text).split('\n');
    open = (lines.pop() ?? '').slice(-STDERR_BYTES);
    for (const line of lines) onLine(line.trimEnd());
  }
  if (onLine && open !== '') onLine(open);
  return kept;
}

async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let tail = '';
  for await (const bytes of stream) {
    tail = (tail + decoder.decode(bytes, { stream: true })).slice(-STDERR_BYTES);
  }
  return tail.trim();
}
