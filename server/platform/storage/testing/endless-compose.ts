import { MIB } from '../../../contract/limits.ts';
import { openDiskStore } from '../disk.ts';
import { bytes, stream } from './streams.ts';

/** This process composes and copies objects until its parent kills it, and tells each one that is done. */
const [root = ''] = process.argv.slice(2);
const store = await openDiskStore({ root });
const sources = [0, 1, 2].map((seed) => ({ key: `source/${seed}`, size: 4 * MIB }));
for (const [seed, { key, size }] of sources.entries())
  await store.put(key, stream(bytes(size, seed)));
const [source = { key: '', size: 0 }] = sources;
for (let round = 0; ; round += 1) {
  await Promise.all([
    store.compose(`composed/${round}`, sources),
    store.copy(`copied/${round}`, source),
  ]);
  process.stdout.write(`${round}\n`);
}
