/** How long a 'g' waits for the key that belongs to it, in milliseconds. */
const WAIT = 1_000;

/** Follows the keys that are pressed: answers each as a shortcut, 'g o' where a 'g' came just before. */
export function keySequence() {
  let leading = Number.NEGATIVE_INFINITY;
  return (key: string, now: number): string => {
    const isSecond = now - leading < WAIT;
    leading = key === 'g' && !isSecond ? now : Number.NEGATIVE_INFINITY;
    return isSecond ? `g ${key}` : key;
  };
}
