const cleanUps = new Set<() => void>();

process.on('exit', () => {
  for (const cleanUp of [...cleanUps].reverse()) cleanUp();
});

/**
 * Registers what is done when this process exits, which waits for nothing; the last one first. Returns
 * the function that takes it back. `bun test` does none of it, nor does a process that a signal ends.
 */
export function atExit(cleanUp: () => void): () => void {
  cleanUps.add(cleanUp);
  return () => void cleanUps.delete(cleanUp);
}
