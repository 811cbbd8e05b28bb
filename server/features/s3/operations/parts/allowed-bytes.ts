import { requireAllowedType } from '../../../buckets/service.ts';
import { plainTypeOf, SNIFF_BYTES } from '../../../uploads/service.ts';
import type { ObjectContext } from '../../context.ts';
import { nameOf } from '../keys.ts';

/**
 * Throws type-refused where stored bytes are of a type that the bucket doesn't accept. As for an upload, the name and the bytes
 * tell, whatever type the client says.
 */
export async function requireAllowedBytes(
  { deps, bucket, key }: ObjectContext,
  stored: { key: string; size: number },
): Promise<void> {
  if (bucket.allowed_types === null) return;
  const object = await deps.objects.open(stored.key, { size: stored.size });
  const head = object?.body({ start: 0, end: Math.min(stored.size, SNIFF_BYTES) });
  const bytes = new Uint8Array(await new Response(head ?? null).arrayBuffer());
  requireAllowedType(bucket, await plainTypeOf(nameOf(key), bytes));
}
