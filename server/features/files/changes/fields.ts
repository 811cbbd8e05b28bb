import { FILE_METADATA_MAX_BYTES } from '../../../contract/limits.ts';
import type { Access } from '../../../contract/wire.ts';
import { invalid } from '../../../errors.ts';
import { parseExpiry } from '../../../web/http/parse-expiry.ts';
import type { FileFields } from './updates-store.ts';

type SentFields = {
  access?: Access;
  expires_at?: string | null;
  metadata?: unknown;
};

/** Returns the columns of fields as the API takes them. Throws invalid. */
export function parseFields(sent: SentFields, now: number): Partial<FileFields> {
  const { access, expires_at: expiresAt, metadata } = sent;
  return {
    ...(access !== undefined && { access }),
    ...(expiresAt !== undefined && {
      expires_at: expiresAt === null ? null : parseExpiry(expiresAt, now),
    }),
    ...(metadata !== undefined && { metadata: formatMetadata(metadata) }),
  };
}

function formatMetadata(metadata: unknown): string | null {
  if (!isTextsByName(metadata)) throw invalid('metadata must be an object of texts.');
  const text = JSON.stringify(metadata);
  if (Buffer.byteLength(text) > FILE_METADATA_MAX_BYTES) {
    throw invalid(
      `metadata must be at most ${FILE_METADATA_MAX_BYTES.toLocaleString('en')} bytes as JSON.`,
    );
  }
  return text === '{}' ? null : text;
}

const isTextsByName = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((text) => typeof text === 'string');
