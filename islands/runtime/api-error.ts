import type { ErrorCode } from '../../server/contract/failure.ts';
import { MESSAGES } from '../../server/contract/messages.ts';

/**
 * A request that did not succeed. `message` is for the person; `status` 0 means no answer came.
 * `code` is the server's word for the failure, or `unreadable` for a file that this browser lost; `retryAfter` milliseconds, where the server named a
 * time to wait.
 */
export class ApiError extends Error {
  override name = 'ApiFailure';
  constructor(
    readonly status: number,
    message: string,
    readonly details: { code?: ErrorCode | 'unreadable' | null; retryAfter?: number | null } = {},
  ) {
    super(message);
  }
}

/** Longer bodies are a proxy's page, not our sentence. */
const SENTENCE_MAX = 300;

/** The text to show for a body the server sent with an error: its own words where there are any. */
export function errorText(body: unknown): string {
  const text = typeof body === 'string' ? body.trim() : '';
  const isSentence = text !== '' && text.length <= SENTENCE_MAX && !text.startsWith('<');
  return isSentence ? text : MESSAGES.unexpected;
}
