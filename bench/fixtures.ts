import sharp from 'sharp';
import { KIB, MIB } from '../server/contract/limits.ts';
import type { BucketDetailWire } from '../server/contract/wire.ts';
import { createBucket, signUp } from '../tests/support/client/api.ts';
import type { ServerProcess } from '../tests/support/server/server-process.ts';

const TOLERANCE = 0.02;
const MAX_ATTEMPTS = 12;

/** Creates a user with a bucket on a server. Returns the session's token and the bucket. */
export async function createBenchBucket(
  server: ServerProcess,
): Promise<{ token: string; bucket: BucketDetailWire }> {
  const { token } = await signUp(server, 'bench@example.org', 'a long enough password');
  return { token, bucket: await createBucket(server, token, 'Benchmark') };
}

/** The measured sizes in bytes. */
export const SIZES = { '1 KiB': KIB, '100 KiB': 100 * KIB, '10 MiB': 10 * MIB };

/** Returns a JPEG of noise whose size is as near to `bytes` as a few attempts get. */
export async function makeImage(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  let side = Math.max(8, Math.round(Math.sqrt(bytes / 2)));
  let best = await encode(side);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const image = await encode(side);
    if (distance(image, bytes) < distance(best, bytes)) best = image;
    if (distance(best, bytes) < TOLERANCE) break;
    side = Math.max(1, Math.round(side * Math.sqrt(bytes / image.length)));
  }
  return new Uint8Array(best);
}

const distance = (image: Uint8Array, bytes: number) => Math.abs(image.length - bytes) / bytes;

function encode(side: number) {
  const noise = new Uint8Array(side * side * 3);
  for (let at = 0; at < noise.length; at += 65_536) {
    crypto.getRandomValues(noise.subarray(at, at + 65_536));
  }
  const raw = { width: side, height: side, channels: 3 } as const;
  return sharp(noise, { raw }).jpeg({ quality: 90 }).toBuffer();
}
