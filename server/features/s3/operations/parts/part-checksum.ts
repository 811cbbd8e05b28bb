import type { ReceivedPayload } from '../../auth/types.ts';
import type { Checksum } from '../../checksums/algorithms.ts';
import { readDeclaredChecksums } from '../../checksums/declared-checksums.ts';
import { createHasher } from '../../checksums/hasher.ts';
import { S3Error } from '../../errors.ts';
import type { ChecksumPlan } from './multipart-checksum.ts';

/** The bytes of a part, and its checksum once all of them have been read; null where it has none. */
export type SummedPart = {
  body: ReadableStream<Uint8Array>;
  checksum: () => Promise<Checksum | null>;
};

/**
 * Returns the bytes of a part that a client sends, with the checksum that it sends along, or the one that its upload needs.
 * Throws InvalidRequest where it sends another one than its upload was created with.
 */
export async function withChecksum(
  plan: ChecksumPlan | null,
  headers: Headers,
  payload: ReceivedPayload,
): Promise<SummedPart> {
  const declared = readDeclaredChecksums(headers);
  const algorithm = declared.checksum?.algorithm ?? declared.trailers[0];
  if (algorithm === undefined) return computed(plan, payload.body);
  if (plan === null || plan.algorithm === algorithm) {
    return { body: payload.body, checksum: async () => payload.checksum() };
  }
  throw new S3Error(
    'InvalidRequest',
    `The upload was created with the checksum ${plan.algorithm}, but the part has ${algorithm}.`,
  );
}

/** Returns the bytes of a part with the checksum that its upload needs. */
export async function computed(
  plan: ChecksumPlan | null,
  bytes: ReadableStream<Uint8Array>,
): Promise<SummedPart> {
  if (plan === null) return { body: bytes, checksum: async () => null };
  const { algorithm } = plan;
  const hasher = await createHasher(algorithm);
  const body = bytes.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        hasher.update(piece);
        controller.enqueue(piece);
      },
    }),
  );
  let digest: Promise<Buffer> | undefined;
  const checksum = async () => {
    digest = digest ?? hasher.digest();
    return { algorithm, value: (await digest).toString('base64') };
  };
  return { body, checksum };
}
