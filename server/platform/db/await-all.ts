/**
 * Awaits statements of one transaction that need nothing of each other's results. On SQLite they go to the
 * writer in one message: the way there and back takes longer than most statements, and nothing else is
 * written meanwhile. PostgreSQL gets them one after another, in the order in which they were started.
 *
 * Waits for all of them also where one fails, so that none runs after the end of its transaction. The
 * transaction must fail then, because the others may have been written.
 */
export async function awaitAll<const Started extends readonly Promise<unknown>[]>(
  ...started: Started
): Promise<{ -readonly [Index in keyof Started]: Awaited<Started[Index]> }> {
  try {
    return await Promise.all(started);
  } catch (error) {
    await Promise.allSettled(started);
    throw error;
  }
}
