import { join } from 'node:path';
import { cleanImage, type ImageFormat } from '../strip-metadata/clean-image.ts';

/** Cleans bytes through files in a scratch folder and returns the result's bytes. */
export async function cleanBytes(
  folder: string,
  bytes: Uint8Array,
  format: ImageFormat,
  orientation = 1,
): Promise<Buffer> {
  const name = crypto.randomUUID();
  const [from, to] = [join(folder, `${name}.in`), join(folder, `${name}.out`)];
  await Bun.write(from, bytes);
  await cleanImage(from, to, format, orientation, new AbortController().signal);
  return Buffer.from(await Bun.file(to).bytes());
}
