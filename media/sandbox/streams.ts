const STDERR_BYTES = 8 * 1024;
const MAX_LINE_LENGTH = 64 * 1024;

/**
 * Reads a stream to its end. Returns the last 8 KiB of its text.
 *
 * @param onLine Called with each line, without its line end. A longer line than 8 KiB is cut.
 */
export async function readTail(
  stream: ReadableStream<Uint8Array>,
  onLine?: (line: string) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let tail = '';
  let partialLine = '';
  for await (const bytes of stream) {
    const text = decoder.decode(bytes, { stream: true });
    tail = (tail + text).slice(-STDERR_BYTES);
    if (!onLine) continue;
    const lines = (partialLine + text).split('\n');
    partialLine = (lines.pop() ?? '').slice(0, STDERR_BYTES);
    for (const line of lines) onLine(line);
  }
  return tail.trim();
}

/** Yields the lines of a stream without their ends. Throws where a line is longer than 64 KiB. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let partialLine = '';
  for await (const bytes of stream) {
    const lines = (partialLine + decoder.decode(bytes, { stream: true })).split('\n');
    partialLine = lines.pop() ?? '';
    if (partialLine.length > MAX_LINE_LENGTH) throw new Error('The line is too long.');
    yield* lines;
  }
}
