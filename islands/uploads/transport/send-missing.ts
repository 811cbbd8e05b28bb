import { MESSAGES } from '../../../server/contract/messages.ts';
import { ApiError } from '../../runtime/api-error.ts';

/** More rounds than this would mean that the server forgets what it said has arrived. */
const MAX_ROUNDS = 3;

/** The numbers below `total` that are not in `arrived`. */
export const missingOf = (total: number, arrived: readonly number[]) => {
  const there = new Set(arrived);
  return Array.from({ length: total }, (_, number) => number).filter((one) => !there.has(one));
};

/**
 * Sends the chunks that have not arrived, in sequence, until one is answered with what they make.
 * Should the server have forgotten some, after a pause of a day, they go again.
 * @param sendChunk sends one; `before` are those that are there without it. Null where more is missing
 * @param askArrived which chunks the server has
 */
export async function sendMissing<Made>(
  total: number,
  received: readonly number[],
  sendChunk: (number: number, before: readonly number[]) => Promise<Made | null>,
  askArrived: () => Promise<readonly number[]>,
): Promise<Made> {
  let arrived = [...received];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const missing = missingOf(total, arrived);
    // All are there, but nobody heard of the file: the last one again is answered with it.
    for (const number of missing.length > 0 ? missing : [total - 1]) {
      const before = arrived.filter((one) => one !== number);
      const made = await sendChunk(number, before);
      if (made !== null) return made;
      arrived = [...before, number];
    }
    arrived = [...(await askArrived())];
  }
  throw new ApiError(200, MESSAGES.unexpected);
}
