import { dlopen } from 'bun:ffi';

/**
 * Bun has as many threads for files as the machine has cores. Eight uploads that wait for the disk to sync,
 * 20 ms each, would keep the two of a small server from reading any file meanwhile.
 */
const IO_THREADS = 16;

/** The setting by which Bun and Node choose that number. */
export const IO_THREADS_SETTING = { UV_THREADPOOL_SIZE: String(IO_THREADS) };

/**
 * Gives this process more threads for files, unless the operator has set their number. It must run before
 * the first use of a file that waits. Bun reads this variable from the C library, where no assignment in
 * JavaScript changes it; where that library has another name, the number stays. It is no setting of ours:
 * those are read in server/config.
 */
export function addIoThreads(): void {
  try {
    const { symbols } = dlopen('libc.so.6', {
      setenv: { args: ['cstring', 'cstring', 'i32'], returns: 'i32' },
    });
    for (const [name, value] of Object.entries(IO_THREADS_SETTING)) {
      symbols.setenv(cString(name), cString(value), 0);
    }
  } catch {
    // It is only slower.
  }
}

const cString = (text: string) => Buffer.from(`${text}\0`) as never;
