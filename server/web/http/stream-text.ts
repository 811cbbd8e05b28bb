import { streamFrom } from '../../contract/streams.ts';

/** Streams text as UTF-8. Each part is made when the client is ready for it. */
export const streamText = (parts: AsyncGenerator<string>): ReadableStream<Uint8Array> =>
  streamFrom(encoded(parts));

async function* encoded(parts: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const part of parts) yield encoder.encode(part);
}
