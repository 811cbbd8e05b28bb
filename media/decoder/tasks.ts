import { IMAGE_WARNINGS, type ImageWarning, type Size } from '../../server/contract/media.ts';
import type { Transform } from '../../server/contract/transforms.ts';
import type { DecodedImage } from '../image/image-info.ts';

/* The messages between the media process and its decoders: one line of JSON each. */

/** What a decoder does with one local image. */
export type DecodeTask =
  /** Makes the file to deliver of an upload. */
  | { kind: 'image'; webp: boolean }
  /** Applies a transform to a delivered image. */
  | { kind: 'generate'; transform: Transform }
  /** Makes a WebP still with sides of at most `side` pixels. */
  | { kind: 'poster'; side: number }
  /** Makes a WebP of the upper left part of a sheet of thumbnails. */
  | ({ kind: 'sheet' } & Size);

export type DecodeReply =
  /** The decoder can take a task. */
  | { type: 'ready' }
  | { type: 'done'; image: DecodedImage }
  /** `reason` is a short sentence for the user, `detail` is for the log. */
  | { type: 'failed'; reason: string; retry: 'limited' | 'never'; detail: string };

/**
 * Does a task: reads the local file `source`, which the decoder takes over, and writes `result`. Throws
 * MediaFailure, or the signal's reason after an abort.
 */
export type Decode = (
  task: DecodeTask,
  files: { source: string; result: string },
  signal: AbortSignal,
) => Promise<DecodedImage>;

/** The names of the two files in a decoder's folder. */
export const SOURCE = 'source';
export const RESULT = 'result';

const MAX_SIDE = 1_000_000;
const MAX_TEXT_LENGTH = 500;

const isSide = (value: unknown) =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_SIDE;
const isImageWarning = (value: unknown): value is ImageWarning =>
  IMAGE_WARNINGS.some((warning) => warning === value);
const isDuration = (value: unknown) =>
  value === null || (Number.isFinite(value) && Number(value) >= 0);

/**
 * Parses a line from a decoder. Returns null for anything that a decoder does not write, as one that an
 * image has taken over could: its ending becomes part of a key, its sizes become rows.
 */
export function parseReply(line: string): DecodeReply | null {
  const reply = parseJson(line);
  if (reply?.type === 'ready') return { type: 'ready' };
  if (reply?.type === 'done') return parseDone(reply.image as Record<string, unknown>);
  if (reply?.type !== 'failed' || typeof reply.reason !== 'string') return null;
  const retry = reply.retry === 'never' ? 'never' : 'limited';
  const [reason, detail] = [reply.reason, `${reply.detail}`].map((text) =>
    text.slice(0, MAX_TEXT_LENGTH),
  ) as [string, string];
  return { type: 'failed', reason, retry, detail };
}

function parseDone(image: Record<string, unknown> | undefined): DecodeReply | null {
  const { ending, width, height, duration, kept, isConverted, warning, isTurned, thumbHash } =
    image ?? {};
  if (typeof ending !== 'string' || !/^[a-z]{3,4}$/.test(ending)) return null;
  if (!isSide(width) || !isSide(height) || !isDuration(duration)) return null;
  const hasHash = typeof thumbHash === 'string' && /^[\w+/]{1,64}={0,2}$/.test(thumbHash);
  return {
    type: 'done',
    image: {
      ...{ ending, width: width as number, height: height as number },
      duration: duration as number | null,
      ...(kept === 'original' && { kept }),
      ...(isConverted === true && { isConverted }),
      ...(isImageWarning(warning) && { warning }),
      ...(isTurned === true && { isTurned }),
      ...(hasHash && { thumbHash }),
    },
  };
}

function parseJson(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
