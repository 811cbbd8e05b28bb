/**
 * Lets so many work at once; the others wait in line.
 * @returns resolves, when it is one's turn, to what gives the turn back. Throws the signal's reason
 */
export function slots(most: number) {
  let free = most;
  const line: (() => void)[] = [];
  const giveBack = () => {
    const next = line.shift();
    if (next) next();
    else free += 1;
  };
  return (signal: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      if (free > 0) {
        free -= 1;
        resolve(giveBack);
        return;
      }
      const go = () => resolve(giveBack);
      line.push(go);
      signal.addEventListener('abort', () => {
        const at = line.indexOf(go);
        if (at === -1) return;
        line.splice(at, 1);
        reject(signal.reason);
      });
    });
}
