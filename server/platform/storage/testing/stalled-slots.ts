import { MIB } from '../../../contract/limits.ts';
import { openDiskStore } from '../disk.ts';
import { bytes, chunked, stream } from './streams.ts';

/** This process fills a slot between two others, and tells when half of it has arrived; the rest never does. */
const [root = ''] = process.argv.slice(2);
const store = await openDiskStore({ root });
const inSlot = (number: number) => ({ maxBytes: MIB, slot: { number, bytes: MIB } });
for (const number of [0, 2])
  await store.put(`u/a/${number}`, stream(bytes(MIB, number)), inSlot(number));
const stalled = chunked(async (chunk) => {
  if (chunk < 8) return;
  process.stdout.write('halfway\n');
  await new Promise(() => {});
});
setInterval(() => {}, 1000);
await store.put('u/a/1', stalled.body, inSlot(1));
