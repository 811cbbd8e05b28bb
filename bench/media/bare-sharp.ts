import { join } from 'node:path';
import sharp from 'sharp';

/** Converts the files 0 to count - 1 of a folder to WebP, two at a time, and prints the seconds. */
const [folder = '', count = '0'] = process.argv.slice(2);
sharp.concurrency(1);
sharp.cache(false);
let next = 0;

async function work(): Promise<void> {
  while (next < Number(count)) {
    const path = join(folder, String(next));
    next += 1;
    await sharp(path, { sequentialRead: true })
      .autoOrient()
      .webp({ quality: 80 })
      .toFile(`${path}.bare.webp`);
  }
}

const started = performance.now();
await Promise.all([work(), work()]);
process.stdout.write(String((performance.now() - started) / 1000));
