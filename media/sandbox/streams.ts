const STDERR_BYTES = 8 * 1024;
const MAX_LINE_LENGTH = 64 * 1024;

/** Reads a stream to its end. Returns the last 8 KiB of its text. */
export async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let tail = '';
  for await (const bytes of stream) {
    tail = (tail + decoder.decode(bytes, { stream: true })).slice(-STDERR_BYTES);
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
