export const CHECKSUM_ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];

/** The checksum of an object, in Base64 as the header `x-amz-checksum-…` has it. */
export type Checksum = { algorithm: ChecksumAlgorithm; value: string };
