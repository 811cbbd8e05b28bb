/*
 * `expect(…).rejects` runs the event loop inside of the callback that led to it. Meanwhile Bun neither
 * delivers the next message of the same port nor runs what else was due in the same turn, so a test would
 * wait forever for a reply that comes that way. So each reply of a thread is passed on in a turn of its own.
 */

const ready: (() => void)[] = [];

/** Returns a promise that settles like the given one. */
export function settleInSeparateTurn<Result>(promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    promise.then(
      (result) => addTurn(() => resolve(result)),
      (error) => addTurn(() => reject(error)),
    );
  });
}

function addTurn(turn: () => void): void {
  ready.push(turn);
  if (ready.length === 1) planTurn();
}

function runTurn(): void {
  const turn = ready.shift();
  // The next turn is planned before this one, which may last as long as a test.
  if (ready.length > 0) planTurn();
  turn?.();
}

/**
 * Inside of `expect(…).rejects` Bun can wait for events although a turn is due, up to a second, so a timer
 * wakes it.
 */
function planTurn(): void {
  setImmediate(runTurn);
  setTimeout(() => {}, 1);
}
