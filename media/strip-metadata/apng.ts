import type { Size } from '../../server/contract/media.ts';
import { damaged, exactly, openRandomAccess, type RandomAccess } from './random-access.ts';

export type Apng = Size & {
  frames: number;
  /** How often it is shown; 0 for ever. */
  plays: number;
  /** Milliseconds of one round. */
  duration: number;
};

const SIGNATURE = '\x89PNG\r\n\x1a\n';
/** An animation of 50 MiB has some thousands; more could keep the process busy. */
const MAX_CHUNKS = 50_000;
/** W3C PNG, third edition, 11.3.6.2: a denominator of 0 means hundredths of a second. */
const DEFAULT_DENOMINATOR = 100;

/** Returns what a local file declares as animated PNG; null for all others, and for more chunks than anybody needs. */
export function readApng(path: string): Apng | null {
  const file = openRandomAccess(path);
  try {
    return findFrames(file);
  } finally {
    file.close();
  }
}

function findFrames(file: RandomAccess): Apng | null {
  if (file.size < 33 || exactly(file, 0, 8).toString('latin1') !== SIGNATURE) return null;
  const header = exactly(file, 16, 8);
  const size = { width: header.readUInt32BE(0), height: header.readUInt32BE(4) };
  let apng: Apng | null = null;
  let position = 8;
  for (let count = 0; count < MAX_CHUNKS && position + 12 <= file.size; count += 1) {
    const head = exactly(file, position, 8);
    const type = head.toString('latin1', 4);
    const length = head.readUInt32BE(0);
    const body = () => exactly(file, position + 8, Math.min(length, file.size - position - 8));
    // The animation has to be announced before the pixels.
    if (type === 'IEND' || (type === 'IDAT' && !apng)) return isMoving(apng) ? apng : null;
    if (type === 'acTL' && length === 8)
      apng ??= { ...size, frames: 0, plays: body().readUInt32BE(4), duration: 0 };
    if (type === 'fcTL' && length === 26 && apng) {
      apng.frames += 1;
      apng.duration += delayOf(body());
    }
    position += 12 + length;
  }
  return position + 12 > file.size && isMoving(apng) ? apng : null;
}

const isMoving = (apng: Apng | null) => apng !== null && apng.frames > 1;

function delayOf(control: Buffer): number {
  if (control.length < 26) throw damaged();
  const denominator = control.readUInt16BE(22) || DEFAULT_DENOMINATOR;
  return Math.round((control.readUInt16BE(20) * 1000) / denominator);
}
