import { HOUR, MINUTE, SECOND } from '../../contract/limits.ts';
import { type AppError, tooMany } from '../../errors.ts';

/** Returns the error for a limit that is reached, after `wait` milliseconds of which it starts again. */
export const tooManyAttempts = (wait: number): AppError =>
  tooMany(`Too many attempts. Try again in ${timeText(wait)}.`, wait);

/** Returns a waiting time for people, rounded up, in the largest unit that fits. */
export function timeText(ms: number): string {
  const [unit, name] =
    ms > HOUR ? [HOUR, 'hour'] : ms > MINUTE ? [MINUTE, 'minute'] : [SECOND, 'second'];
  const count = Math.max(1, Math.ceil(ms / (unit as number)));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
