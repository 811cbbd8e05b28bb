import type { Life } from './life.ts';
import type { World } from './world.ts';

/** How often a process waits in vain for more of a body until it notices that the client is gone. */
const MAX_SILENCE = 12;

/**
 * Returns a body whose pieces arrive at a process one by one, and that ends in an error before the piece
 * `cutAt`, if that is not null.
 */
export function piecewise(
  world: World,
  life: Life,
  pieces: Uint8Array[],
  cutAt: number | null,
): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const isCut = at === cutAt;
        const waits = isCut ? world.below(MAX_SILENCE) : 1;
        for (let wait = 0; wait < waits; wait += 1)
          await world.call(life, `network ${at}${isCut ? ' is silent' : ''}`, () => {});
        const piece = pieces[at];
        at += 1;
        if (isCut) controller.error(new Error('the client is gone'));
        else if (piece) controller.enqueue(piece);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
