import { openDiskStore } from '../disk.ts';

/** This process stalls in the middle of a put, where its parent kills it. */
const [root = ''] = process.argv.slice(2);
const store = await openDiskStore({ root });
let chunks = 0;
await store.put(
  'a/half',
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks += 1;
        if (chunks <= 3) return controller.enqueue(new Uint8Array(1024 * 1024));
        process.stdout.write('halfway\n');
        await new Promise(() => {});
      },
    },
    { highWaterMark: 0 },
  ),
);
