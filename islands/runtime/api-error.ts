import type { ErrorCode } from '../../server/contract/failure.ts';
import { MESSAGES } from '../../server/contract/messages.ts';

/**
 * A request that failed. `message` is shown to the user, and `status` is 0 if there was no response.
 * `code` is the server's error code, or `unreadable` for a file that the browser can't read.
 * `retryAfter` is in milliseconds, if the server sent one.
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

/** The user has closed the dialog that a call needed. Nothing failed, so nothing is shown. */
export class CancelledError extends Error {
  override name = 'CancelledError';
}

/** A longer body is an error page of a proxy, not a message of our server. */
const MAX_MESSAGE_LENGTH = 300;

/** Returns the text to show for the body of an error response: the server's message, if it is one. */
export function errorText(body: unknown): string {
  const text = typeof body === 'string' ? body.trim() : '';
  const isSentence = text !== '' && text.length <= MAX_MESSAGE_LENGTH && !text.startsWith('<');
  return isSentence ? text : MESSAGES.unexpected;
}
