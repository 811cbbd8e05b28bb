import { expect, test } from 'bun:test';
import { joinChunks, keepChunk, streamFrom, tapStream } from './streams.ts';

/** Returns a stream of 1, 2 and 3, and what was taken of it. */
function numbers(fail?: Error) {
  const taken: unknown[] = [];
  async function* yieldNumbers() {
    try {
      for (const number of [1, 2, 3]) {
        taken.push(number);
        yield number;
      }
      if (fail) throw fail;
    } finally {
      taken.push('ended');
    }
  }
  return { taken, stream: streamFrom(yieldNumbers()) };
}

test('a stream of a generator reads nothing ahead, and arrives whole', async () => {
  const { stream, taken } = numbers();
  await Promise.resolve();
  expect(taken).toEqual([]);
  expect(await Array.fromAsync(stream)).toEqual([1, 2, 3]);
  expect(taken).toEqual([1, 2, 3, 'ended']);
});

test('who cancels a stream ends its generator', async () => {
  const { stream, taken } = numbers();
  const reader = stream.getReader();
  expect(await reader.read()).toEqual({ done: false, value: 1 });
  await reader.cancel();
  expect(taken).toEqual([1, 'ended']);
});

test('a stream that is passed on tells of its pieces and of its end, once', async () => {
  const { stream, taken } = numbers();
  const told: unknown[] = [];
  const tapped = tapStream(stream, {
    onPiece: (piece) => void told.push(piece),
    onEnd: () => told.push('end'),
  });
  await Promise.resolve();
  expect(taken).toEqual([]);
  expect(await Array.fromAsync(tapped)).toEqual([1, 2, 3]);
  expect(told).toEqual([1, 2, 3, 'end']);
});

test('what a callback throws ends the stream, and cancels its source', async () => {
  const { stream, taken } = numbers();
  const told: string[] = [];
  const tapped = tapStream(stream, {
    onPiece: (piece) => {
      if (piece === 2) throw new Error('too many');
    },
    onEnd: () => void told.push('end'),
  });
  const reader = tapped.getReader();
  expect(await reader.read()).toEqual({ done: false, value: 1 });
  await expect(reader.read()).rejects.toThrow('too many');
  expect(told).toEqual(['end']);
  await Promise.resolve();
  expect(taken).toEqual([1, 2, 'ended']);
});

test('a source that fails fails what is passed on', async () => {
  const told: string[] = [];
  const tapped = tapStream(numbers(new Error('broken')).stream, {
    onPiece: () => {},
    onEnd: () => void told.push('end'),
  });
  await expect(Array.fromAsync(tapped)).rejects.toThrow('broken');
  expect(told).toEqual(['end']);
});

test('who cancels what is passed on cancels the source', async () => {
  const { stream, taken } = numbers();
  const told: string[] = [];
  const tapped = tapStream(stream, { onPiece: () => {}, onEnd: () => void told.push('end') });
  const reader = tapped.getReader();
  await reader.read();
  await reader.cancel();
  expect(taken).toEqual([1, 'ended']);
  expect(told).toEqual(['end']);
});

test('who cancels while a piece is awaited is told of the end once, and of no piece that comes later', async () => {
  const { promise: piece, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const source = new ReadableStream<number>(
    {
      async pull(controller) {
        ask();
        await piece;
        controller.enqueue(1);
      },
    },
    { highWaterMark: 0 },
  );
  const told: unknown[] = [];
  const tapped = tapStream(source, {
    onPiece: (value) => void told.push(value),
    onEnd: () => void told.push('end'),
  });
  const reader = tapped.getReader();
  const reading = reader.read();
  await asked;
  await reader.cancel();
  expect((await reading).done).toBe(true);
  arrive();
  await Bun.sleep(0);
  expect(told).toEqual(['end']);
});

test('chunks are joined in their order, and one alone is not copied', () => {
  const [first, second] = [new Uint8Array([1, 2, 3]).subarray(1), new Uint8Array([4])];
  expect([...joinChunks([first, second])]).toEqual([2, 3, 4]);
  expect([...joinChunks([first])]).toEqual([2, 3]);
  expect(joinChunks([first]).buffer).toBe(first.buffer);
  expect(joinChunks([]).length).toBe(0);
});

test('chunks that are kept are few, also where each is a byte', () => {
  const bytes = Array.from({ length: 1000 }, (_, n) => n % 256);
  const chunks: Uint8Array[] = [];
  for (const byte of bytes) keepChunk(chunks, Uint8Array.of(byte));
  expect(chunks.length).toBeLessThanOrEqual(64);
  expect([...joinChunks(chunks)]).toEqual(bytes);
});
