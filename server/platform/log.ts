import { writeSync } from 'node:fs';
import { isSystemError } from './system-error.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** `fields` may be JSON members that are written already, by who logs often: `"a":1,"b":"c"`. */
type Write = (fields: object | string, text: string) => void;
export type Log = { info: Write; warn: Write; error: Write; flush(): void };

const STDOUT = 1;
const BATCH = 8_192;
const EVERY = 100;

/**
 * One JSON line per event on standard output. Lines are written a batch at a time: delivery
 * answers faster than a write per line, or pino, would let it (see docs/decisions); larger batches
 * cost more again. `flush` writes
 * what is held, and is the last call.
 */
export function createLog(level: LogLevel): Log {
  let held = '';
  const write = () => {
    if (held) process.stdout.write(held);
    held = '';
  };
  const timer = setInterval(write, EVERY);
  timer.unref();

  const writer = (name: LogLevel): Write => {
    if (LEVELS.indexOf(name) < LEVELS.indexOf(level)) return () => {};
    let [at, start] = [0, ''];
    return (fields, text) => {
      const now = Date.now();
      // Of this millisecond, which many lines share; as is what is written around the fields.
      if (now !== at)
        [at, start] = [now, `{"level":"${name}","time":"${new Date(now).toISOString()}"`];
      const middle = typeof fields === 'string' ? fields : JSON.stringify(fields).slice(1, -1);
      held += `${start}${middle && `,${middle}`},"msg":${JSON.stringify(text)}}\n`;
      if (held.length > BATCH) write();
    };
  };

  return {
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    flush() {
      clearInterval(timer);
      try {
        if (held) writeSync(STDOUT, held);
      } catch (error) {
        // The reader of the log has gone, which is no failure of this process.
        if (!isSystemError(error, 'EPIPE')) throw error;
      }
      held = '';
    },
  };
}
