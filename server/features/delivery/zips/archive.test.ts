import { expect, test } from 'bun:test';
import { archiveOf } from './archive.ts';

const PIECE = new Uint8Array(1000).fill(7);
const PIECES = 20;

/** Returns a ZIP of two files, and which of their objects were left before their end. */
function archive() {
  const left: string[] = [];
  const open = async (key: string) => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sent === PIECES) return controller.close();
          sent += 1;
          controller.enqueue(PIECE);
        },
        cancel: () => void left.push(key),
      },
      { highWaterMark: 0 },
    );
    return { size: PIECE.length * PIECES, body: () => body };
  };
  const entries = ['a', 'b'].map((key) => {
    const size = PIECE.length * PIECES;
    return { fileId: key, name: key, modifiedAt: 0, size, source: { key, size } };
  });
  const begin = async () => {};
  const objects = { open, list: async function* () {} };
  return { zip: archiveOf({ objects: objects as never, entries, begin }), left };
}

test.each([
  ['first', 'a', 5],
  ['second', 'b', PIECES + 8],
])('a ZIP that is left in its %s file reads no further in that file', async (_, key, reads) => {
  const { zip, left } = archive();
  const reader = zip.getReader();
  for (let n = 0; n < reads; n += 1) expect((await reader.read()).done).toBe(false);
  await reader.cancel();
  expect(left).toEqual([key]);
});

test('one that is read to its end leaves no file', async () => {
  const { zip, left } = archive();
  expect((await new Response(zip).bytes()).length).toBeGreaterThan(2 * PIECES * PIECE.length);
  expect(left).toEqual([]);
});
