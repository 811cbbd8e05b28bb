import { streamFrom } from '../../contract/streams.ts';
import { notFound } from '../../errors.ts';
import type { ObjectStore, SourceObject } from './port.ts';

/**
 * Returns the bytes of objects one after the other, of which only one is open at a time. Fails with AppError
 * not-found where one is missing.
 */
export const concatenate = (
  store: Pick<ObjectStore, 'open'>,
  sources: SourceObject[],
): ReadableStream<Uint8Array> => streamFrom(bytesOf(store, sources));

async function* bytesOf(
  store: Pick<ObjectStore, 'open'>,
  sources: SourceObject[],
): AsyncGenerator<Uint8Array> {
  for (const { key, size } of sources) {
    const object = await store.open(key, { size });
    if (!object) throw notFound('File');
    const body = object.stream?.() ?? object.body();
    yield* body instanceof Blob ? body.stream() : body;
  }
}
