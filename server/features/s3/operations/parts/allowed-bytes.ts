import { requireAllowedType } from '../../../buckets/service.ts';
import { plainTypeOf } from '../../../uploads/service.ts';
import type { ObjectContext } from '../../context.ts';
import { readHead } from '../../process-as.ts';
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
  const bytes = await readHead(deps, stored);
  requireAllowedType(bucket, await plainTypeOf(nameOf(key), bytes));
}
