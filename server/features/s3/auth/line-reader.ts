import { malformedChunk } from './chunk-line.ts';

const LINE_FEED = 0x0a;

/** Collects lines of a limited length from bytes that arrive in pieces. */
export class LineReader {
  private collected = '';

  constructor(private readonly maxLength: number) {}

  /**
   * Returns the next line without its end, and where in the bytes it ends; null for the line where it goes on in
   * the next piece. Throws S3Error for a line that is too long.
   */
  read(bytes: Uint8Array, from: number): { line: string | null; to: number } {
    const limit = from + this.maxLength + 2 - this.collected.length;
    const window = bytes.subarray(from, limit);
    const end = window.indexOf(LINE_FEED);
    const text = Buffer.from(end < 0 ? window : window.subarray(0, end)).toString('latin1');
    if (end < 0 && limit <= bytes.length) throw malformedChunk('a line is too long');
    if (end < 0) {
      this.collected += text;
      return { line: null, to: bytes.length };
    }
    const line = (this.collected + text).replace(/\r$/, '');
    this.collected = '';
    return { line, to: from + end + 1 };
  }

  /** Whether a line has begun. */
  get isInLine(): boolean {
    return this.collected !== '';
  }
}
