import { KIB, MIB } from '../../../contract/limits.ts';
import { tapStream } from '../../../contract/streams.ts';
import type { Quotas } from '../../buckets/service.ts';

/** What an upload of unknown length has reserved before its first byte. */
export const FIRST_RESERVATION_BYTES = 64 * KIB;
const MAX_AHEAD_BYTES = 64 * MIB;

/**
 * Returns the function that reserves the bytes of an upload that does not say its length. It is called with
 * the size of each piece before that is stored, and throws quota-exceeded. Each reservation has room for a
 * quarter more than has arrived, so that there are few of them, and none takes much more than is stored.
 * @param prefix what the upload is stored below, which has a reservation
 * @param options.before the bytes of the reservation that are meant for something else
 * @param options.reserved the bytes of the whole reservation so far
 */
export function reserveArriving(
  quotas: Pick<Quotas, 'extend'>,
  prefix: string,
  { before = 0, reserved = before }: { before?: number; reserved?: number },
): (bytes: number) => Promise<void> {
  let arrived = 0;
  let limit = reserved;
  return async (bytes) => {
    arrived += bytes;
    if (before + arrived <= limit) return;
    const ahead = Math.min(MAX_AHEAD_BYTES, Math.max(FIRST_RESERVATION_BYTES, arrived / 4));
    limit = before + arrived + Math.ceil(ahead);
    await quotas.extend(prefix, limit);
  };
}

/**
 * Returns a body of which each piece is passed on once it is reserved.
 * @param options.length the bytes of the whole form, which are reserved already; null where the client does not say
 */
export function reservedBody(
  quotas: Pick<Quotas, 'extend'>,
  prefix: string,
  body: ReadableStream<Uint8Array>,
  { length, ...options }: { length: number | null; before?: number; reserved?: number },
): ReadableStream<Uint8Array> {
  if (length !== null) return body;
  const reserve = reserveArriving(quotas, prefix, options);
  return tapStream(body, { onPiece: (bytes) => reserve(bytes.byteLength) });
}
