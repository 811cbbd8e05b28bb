import { MIB } from '../../server/contract/limits.ts';

/*
 * Every process of server and media is started here, so that one file shows what each of them gets: its
 * environment, its standard streams and what ends it.
 */

/** Where programs are when the environment does not say. */
export const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * The environment of tools, which contains no secret. glibc reserves 64 MiB of address space for each
 * arena, which would use up the memory limit on many cores.
 */
const TOOL_ENVIRONMENT = { PATH: SYSTEM_PATH, MALLOC_ARENA_MAX: '4' };

/**
 * glibc keeps freed memory separately for each thread, mostly the buffers of large photos. When it is
 * returned at once, a decoder takes a third less memory and no more time.
 */
const DECODER_ENVIRONMENT = {
  PATH: SYSTEM_PATH,
  // Hardly any JavaScript is hot in a decoder, and compiling it costs 11 MiB. Without any compiler (useJIT)
  // there is no bun:ffi, with which a decoder confines itself.
  BUN_JSC_useBaselineJIT: '0',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/**
 * Starts a tool on an untrusted file, without standard input and without our environment.
 * @param command already confined; see confine.ts
 * @param temporary the folder for its temporary files
 */
export function spawnTool(command: string[], temporary: string) {
  return Bun.spawn(command, {
    // The launcher enters the tool's folder. Bun would read settings from a folder in which tools write.
    cwd: '/',
    env: { ...TOOL_ENVIRONMENT, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/**
 * Starts a decoder, which takes and returns lines of text by its standard streams, without our environment.
 * @param command already confined; see confine.ts
 * @param temporary the folder for its temporary files
 */
export function spawnDecoder(command: string[], temporary: string) {
  return Bun.spawn(command, {
    cwd: '/',
    env: { ...DECODER_ENVIRONMENT, TMPDIR: temporary },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/**
 * Starts one of our own programs, which exchanges JSON with this process and logs to the same streams.
 * @param env its whole environment; that of this process when left out
 */
export function spawnWorker<Message>(
  command: string[],
  options: {
    env: Record<string, string | undefined> | undefined;
    onMessage: (message: Message) => void;
    /** Called with the signal that has ended the process; null where it exited by itself. */
    onExit: (signal: string | null) => void;
  },
): Bun.Subprocess {
  const { env, onMessage, onExit } = options;
  return Bun.spawn(command, {
    ...(env && { env }),
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'json',
    ipc: onMessage,
    onExit: ({ signalCode }) => onExit(signalCode === null ? null : String(signalCode)),
  });
}

/** Runs a command that prints little. The exit code is null where a signal or the timeout has ended it. */
export async function runBriefly(
  command: string[],
  timeoutMs: number,
): Promise<{ exitCode: number | null; stdout: string }> {
  const child = Bun.spawn(command, {
    cwd: '/',
    env: TOOL_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const [stdout] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  return { exitCode: child.exitCode, stdout };
}

/** Returns what a command prints, at most 1 MiB; null where it can't be started, fails or takes too long. */
export function readOutput(command: string[], timeoutMs: number): string | null {
  try {
    const { success, stdout } = Bun.spawnSync(command, {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: timeoutMs,
      maxBuffer: MIB,
    });
    return success ? stdout.toString() : null;
  } catch {
    return null;
  }
}
