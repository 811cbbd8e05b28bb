import { FILE_METADATA_MAX_BYTES, SECOND } from '../../../contract/limits.ts';
import type { Access } from '../../../contract/wire.ts';
import { invalid } from '../../../errors.ts';
import type { FileFields } from './updates-store.ts';

type SentFields = {
  access?: Access;
  expires_at?: string | null;
  metadata?: unknown;
};

/** A day and a time with its zone, as in ISO 8601. */
const TIME = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

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

/** Authorized URLs are cached until the end of a second, so a file expires at one. */
function parseExpiry(text: string, now: number): number {
  const [, day = '', dayOfMonth] = TIME.exec(text) ?? [];
  // JavaScript reads the thirtieth of February as a day in March.
  const isDay = new Date(`${day}T00:00:00Z`).getUTCDate() === Number(dayOfMonth);
  const time = isDay ? Math.floor(Date.parse(text) / SECOND) * SECOND : Number.NaN;
  if (!(time > now)) {
    throw invalid(
      'expires_at must be a time in the future such as 2030-12-31T12:00:00Z, or null for never.',
    );
  }
  return time;
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
