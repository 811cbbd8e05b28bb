import { format } from 'node:util';
import { type LineLevel, toLogLine } from '../platform/log.ts';

const LEVELS = { debug: 'info', info: 'info', log: 'info', warn: 'warn', error: 'error' } as const;

/**
 * Writes what a process says when it starts: for a person at a terminal as text, and else as lines of the log,
 * so that whatever collects the log can read all of it. LOG_LEVEL does not hide them.
 * @param text one or several lines
 */
export function say(
  text: string,
  level: LineLevel = 'info',
  stream: NodeJS.WriteStream = process.stdout,
): void {
  const toLine = (line: string) => (stream.isTTY ? `${line}\n` : toLogLine(level, {}, line));
  stream.write(text.split('\n').map(toLine).join(''));
}

/** Writes why a process ends as one line of the log, or for a person at a terminal as text. */
export function sayFailure(text: string, stream: NodeJS.WriteStream = process.stderr): void {
  const [first = '', ...stack] = text.split('\n');
  const isStack = stack.some((line) => /^\s+at /.test(line));
  if (stream.isTTY || !isStack) say(text, 'error', stream);
  else stream.write(toLogLine('error', { stack: text }, first));
}

/** Makes lines of the log of what libraries write to the console, and of the runtime's warnings. */
export function captureConsole(write: (level: LineLevel, text: string) => void): void {
  for (const [name, level] of Object.entries(LEVELS)) {
    console[name as keyof typeof LEVELS] = (...words: unknown[]) => write(level, format(...words));
  }
  process.emitWarning = (warning: string | Error) => write('warn', String(warning));
}
