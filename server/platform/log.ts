import { writeSync } from 'node:fs';
import { isSystemError } from './system-error.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

/**
 * `fields` can be JSON members as text (`"a":1,"b":"c"`), for callers that log too often to build an object
 * each time.
 */
type Write = (fields: object | string, text: string) => void;
export type Log = { info: Write; warn: Write; error: Write; flush(): void };

/** The levels of lines. */
export type LineLevel = 'info' | 'warn' | 'error';

/**
 * Returns a line of the log, which is JSON. Line feeds in texts are escaped, so that it is always one line.
 * @param fields what the line tells beside its text; undefined ones are left out
 * @param now epoch milliseconds
 */
export function toLogLine(
  level: LineLevel,
  fields: Record<string, unknown>,
  text: string,
  now: number = Date.now(),
): string {
  return `${JSON.stringify({ level, time: new Date(now).toISOString(), ...fields, msg: text })}\n`;
}

const STDOUT = 1;
const FLUSH_LENGTH = 8_192;
const FLUSH_INTERVAL_MS = 100;

/**
 * Writes one JSON line per event to standard output. Lines are written in batches: with a write for each
 * line, or with pino, delivery would be slower (see docs/decisions/0014-log-lines.md), and larger batches
 * are slower again. `flush` writes the rest and must be the last call.
 */
export function createLog(level: LogLevel): Log {
  let buffer = '';
  const write = () => {
    if (buffer) process.stdout.write(buffer);
    buffer = '';
  };
  const timer = setInterval(write, FLUSH_INTERVAL_MS);
  timer.unref();

  const writer = (name: LogLevel): Write => {
    if (LEVELS.indexOf(name) < LEVELS.indexOf(level)) return () => {};
    let [at, start] = [0, ''];
    return (fields, text) => {
      const now = Date.now();
      // Many lines share a millisecond, and with it the text before their fields.
      if (now !== at)
        [at, start] = [now, `{"level":"${name}","time":"${new Date(now).toISOString()}"`];
      const middle = typeof fields === 'string' ? fields : JSON.stringify(fields).slice(1, -1);
      buffer += `${start}${middle && `,${middle}`},"msg":${JSON.stringify(text)}}\n`;
      if (buffer.length > FLUSH_LENGTH) write();
    };
  };

  return {
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    flush() {
      clearInterval(timer);
      try {
        if (buffer) writeSync(STDOUT, buffer);
      } catch (error) {
        // The reader of the log is gone, which is not a failure of this process.
        if (!isSystemError(error, 'EPIPE')) throw error;
      }
      buffer = '';
    },
  };
}
