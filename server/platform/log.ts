import pino from 'pino';

export type Log = {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
  /** Writes out what is still held. */
  flush(): void;
};

/**
 * One JSON line per event on standard output. Lines are gathered and written together: a write
 * per request costs more than most requests do.
 */
export function createLog(level: string): Log {
  const destination = pino.destination({ sync: false, minLength: 4096 });
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const flushing = setInterval(() => destination.flush(), 500);
  flushing.unref();
  return {
    info: (fields, text) => log.info(fields, text),
    warn: (fields, text) => log.warn(fields, text),
    error: (fields, text) => log.error(fields, text),
    flush() {
      clearInterval(flushing);
      destination.flushSync();
    },
  };
}
