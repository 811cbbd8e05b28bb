import { temporaryFailure } from '../media-failure.ts';
import { damaged } from '../strip-metadata/random-access.ts';
import { isOutOfMemory, tooMuchMemory } from './memory.ts';

/** Awaits work of sharp and translates its failures. Throws MediaFailure. */
export async function decoded<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    const message = String(error);
    if (/ENOSPC|No space left/.test(message))
      throw temporaryFailure("The server's disk is full.", error);
    if (isOutOfMemory(message)) throw tooMuchMemory(error);
    throw damaged(error);
  }
}
