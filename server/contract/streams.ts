/** Nothing is read before somebody takes it. */
const WITHOUT_BUFFER = { highWaterMark: 0 };

/** Returns a stream of what a generator yields, each when it is taken. Who cancels the stream ends the generator. */
export function streamFrom<Value>(values: AsyncGenerator<Value>): ReadableStream<Value> {
  return new ReadableStream<Value>(
    {
      async pull(controller) {
        const { done, value } = await values.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async (reason) => void (await values.return(reason)),
    },
    WITHOUT_BUFFER,
  );
}

type Tap<Piece> = {
  /** Called with each piece before it is passed on. What it throws ends the stream, and the source is cancelled. */
  onPiece: (piece: Piece) => void | Promise<void>;
  /** Called once, when the stream has ended in whichever way. */
  onEnd?: () => void;
};

/** Passes a stream on, each piece when it is taken. Who cancels it cancels the source at once. */
export function tapStream<Piece>(
  source: ReadableStream<Piece>,
  { onPiece, onEnd }: Tap<Piece>,
): ReadableStream<Piece> {
  const reader = source.getReader();
  let hasEnded = false;
  const end = () => {
    if (!hasEnded) onEnd?.();
    hasEnded = true;
  };
  return new ReadableStream<Piece>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          // Who cancels it while a piece is awaited ends the source, which then is done.
          if (hasEnded) return;
          if (!done) {
            await onPiece(value);
            return controller.enqueue(value);
          }
          controller.close();
        } catch (error) {
          reader.cancel(error).catch(() => {});
          controller.error(error);
        }
        end();
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    WITHOUT_BUFFER,
  );
}

/** A chunk takes some hundred bytes beside its own, and clients may send one for each byte. */
const MAX_CHUNKS = 64;

/** Adds a chunk to those that are kept, which are joined where they are many. */
export function keepChunk(chunks: Uint8Array[], chunk: Uint8Array): void {
  if (chunks.length === MAX_CHUNKS) chunks.push(joinChunks(chunks.splice(0)));
  chunks.push(chunk);
}

/** Returns chunks as one, without a copy where there is only one. */
export function joinChunks(chunks: Uint8Array[]): Buffer {
  const [only, ...others] = chunks;
  if (!only || others.length > 0) return Buffer.concat(chunks);
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
