import { isSystemError } from '../platform/system-error.ts';

/** What a shell says of a program that SIGPIPE ended, as it would end us if we were not told: 128 + 13. */
export const BROKEN_PIPE_EXIT_CODE = 141;

/** Calls back, instead of a stack, when whoever read our output has gone, as `head` does after its lines. */
export function handleBrokenPipe(gone: () => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!isSystemError(error, 'EPIPE')) throw error;
      gone();
    });
  }
}
