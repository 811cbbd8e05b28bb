/**
 * Frees the memory of bytes at once that nobody needs any more. It is outside the garbage collector's heap, which
 * hardly grows by it, so it would be freed late. Bytes that share their memory with others stay.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
