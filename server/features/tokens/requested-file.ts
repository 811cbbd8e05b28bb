import { badRequest, invalid } from '../../errors.ts';
import { isId } from '../../platform/ids.ts';

/**
 * The id of the one file that a token is requested for, from the call's body; undefined where the
 * body names none, which means the whole bucket. Every other body is refused, because a typing
 * error must not mint a token for more than was meant. The content type is not looked at, as curl
 * calls every body a form. Throws bad-request, invalid.
 */
export async function requestedFile(request: Request): Promise<string | undefined> {
  const text = await request.text();
  if (text.trim() === '') return undefined;
  const body = parse(text);
  if (!isTokenRequest(body)) {
    throw badRequest('Send a JSON object with only fileId, or no body.');
  }
  const { fileId } = body;
  if (fileId === undefined) return undefined;
  if (typeof fileId !== 'string' || !isId(fileId)) throw invalid('fileId is not a valid file id.');
  return fileId;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isTokenRequest = (body: unknown): body is { fileId?: unknown } =>
  typeof body === 'object' &&
  body !== null &&
  !Array.isArray(body) &&
  Object.keys(body).every((key) => key === 'fileId');
