import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A line for each file of a folder, by name, as `sha256sum --check` reads them. */
export async function sumsOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).sort();
  const lines: string[] = [];
  for (const name of names) {
    const sum = createHash('sha256').update(await readFile(join(folder, name)));
    lines.push(`${sum.digest('hex')}  ${name}\n`);
  }
  return lines.join('');
}
