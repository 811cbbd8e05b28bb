import { ValidationError } from 'elysia';
import { AppError, badRequest, invalid } from '../../errors.ts';

/**
 * The AppError behind whatever a route threw; null for what is our own mistake.
 * A rejected value is never repeated in the text: it may be a password.
 */
export function toAppError(code: number | string, error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  const cause = (error as { cause?: unknown })?.cause;
  if (cause instanceof AppError) return cause;
  if (code === 'PARSE') return badRequest('The body could not be read. Send JSON.');
  if (error instanceof ValidationError && error.type !== 'response') {
    return invalid(sentenceOf(error));
  }
  return null;
}

function sentenceOf(error: ValidationError): string {
  // Not `all`, which puts values into texts: an object whose `toString` is no function breaks it.
  const first = error.valueError as { schema?: { error?: unknown }; path?: string } | undefined;
  const text = first?.schema?.error;
  if (typeof text === 'string') return text;
  const field = (first?.path ?? '').replace(/^\//, '');
  if (!field)
    return error.type === 'body'
      ? 'Send the fields as a JSON object.'
      : 'The request is not valid.';
  return `${field} is missing or not valid.`;
}
