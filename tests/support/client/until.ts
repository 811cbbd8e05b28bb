/** Asks every 50 ms until the answer is neither undefined nor false. Throws after so many seconds. */
export async function until<Result>(
  what: () => Promise<Result | undefined | false>,
  seconds = 100,
): Promise<Result> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const result = await what();
    if (result) return result;
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await Bun.sleep(50);
  }
}
