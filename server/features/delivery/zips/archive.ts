import { makeZip } from 'client-zip';
import { concatenate } from '../../../platform/storage/concatenate.ts';
import type { ObjectStore, SourceObject } from '../../../platform/storage/port.ts';
import type { ZipEntry } from '../../files/service.ts';

type Source = {
  objects: Pick<ObjectStore, 'open' | 'list'>;
  entries: ZipEntry[];
  /** Is called before a file is read, and ends the ZIP by what it throws. */
  begin: (fileId: string) => Promise<void>;
};

/**
 * Returns the bytes of a ZIP, of which one file is read at a time, as fast as the stream is. It fails where a file
 * can't be read or has another length, as the rest would not be what was promised.
 */
export function archiveOf({ objects, entries, begin }: Source): ReadableStream<Uint8Array> {
  return makeZip(
    (async function* () {
      for (const { fileId, name, modifiedAt, size, source } of entries) {
        await begin(fileId);
        const objectsOfFile =
          'key' in source
            ? [{ key: source.key, size }]
            : await partsBelow(objects, source.prefix, size);
        const bytes = exactly(concatenate(objects, objectsOfFile), size);
        try {
          yield { name, lastModified: new Date(modifiedAt), size, input: bytes };
        } catch {
          // client-zip only throws here where the ZIP is cancelled, and then leaves the input as it is.
          await bytes.return();
          return;
        }
      }
    })(),
    { buffersAreUTF8: true },
  );
}

const PART = /^(\d+)\./;

/** Returns the parts of an upload in the order of their numbers. The thumbnail beside them has none. */
async function partsBelow(
  objects: Pick<ObjectStore, 'list'>,
  prefix: string,
  size: number,
): Promise<SourceObject[]> {
  const parts: (SourceObject & { number: number })[] = [];
  for await (const object of objects.list(prefix)) {
    const number = PART.exec(object.key.slice(prefix.length))?.[1];
    if (number !== undefined) parts.push({ ...object, number: Number(number) });
  }
  if (parts.reduce((sum, part) => sum + part.size, 0) !== size) {
    throw new Error('The parts of a file have another length than the file.');
  }
  return parts.sort((a, b) => a.number - b.number);
}

/** Yields the bytes of a stream, and fails where it has another length. */
async function* exactly(stream: ReadableStream<Uint8Array>, size: number) {
  let left = size;
  const requireLength = (isRight: boolean) => {
    if (!isRight) throw new Error('An object has another length than its file.');
  };
  for await (const bytes of stream) {
    left -= bytes.byteLength;
    requireLength(left >= 0);
    yield bytes;
  }
  requireLength(left === 0);
}
