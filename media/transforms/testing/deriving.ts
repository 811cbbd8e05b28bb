import { afterAll } from 'bun:test';
import { join } from 'node:path';
import type { Transform } from '../../../server/contract/transforms.ts';
import { scratch } from '../../testing/clips.ts';
import { makeDerivative } from '../derive.ts';
import { quarters } from './quarters.ts';

const NOTHING: Transform = {
  width: null,
  height: null,
  fit: 'scale-down',
  gravity: { x: 0.5, y: 0.5 },
  format: 'png',
  quality: null,
  blur: 0,
  sharpen: 0,
  rotate: 0,
  background: null,
};

/** A folder for the tests of a file, and what makes derivatives in it; it is removed after them. */
export async function deriving() {
  const folder = scratch();
  afterAll(folder.remove);
  let count = 0;

  /** The path of a file with these bytes. */
  async function put(bytes: Uint8Array | string): Promise<string> {
    count += 1;
    const path = join(folder.path, `source-${count}`);
    await Bun.write(path, bytes);
    return path;
  }

  /** What is made of a file, where, and its bytes; nothing but the format is asked for unless said. */
  async function derive(source: string, transform: Partial<Transform>) {
    count += 1;
    const path = join(folder.path, `made-${count}`);
    const made = await makeDerivative(source, path, { ...NOTHING, ...transform });
    return { made, path, bytes: Buffer.from(await Bun.file(path).arrayBuffer()) };
  }

  const source = await put(await quarters().png().toBuffer());
  return { folder, put, derive, source };
}
