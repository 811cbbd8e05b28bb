export type EarlyKeys = (take: (event: KeyboardEvent) => void) => void;

/**
 * Keys that are pressed outside of the controls are the player's, there being nothing else; until
 * those have come, they wait for them.
 * @returns gives all of them, those that wait first, to `take`
 */
export function keepKeys(): EarlyKeys {
  const waiting: KeyboardEvent[] = [];
  let give = (event: KeyboardEvent): void => {
    waiting.push(event);
  };

  document.addEventListener('keydown', (event) => {
    if (event.target !== document.body) return;
    give(event);
    document.addEventListener('keyup', (up) => give(up), { once: true });
    // The page has nothing that these would scroll.
    if (event.key === ' ' || event.key.startsWith('Arrow')) event.preventDefault();
  });

  return (take) => {
    give = take;
    for (const event of waiting.splice(0)) take(event);
  };
}
