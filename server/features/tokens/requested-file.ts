import { badRequest, invalid } from '../../errors.ts';
import { isId } from '../../platform/ids.ts';

/**
 * The one file that a token is asked for, by the call's body; undefined where there is none, which
 * means the whole bucket. So whatever is not understood is refused: a typing error must not mint a
 * token for more than was meant. Whatever the type that it is sent as: curl calls it a form.
 */
export async function requestedFile(request: Request): Promise<string | undefined> {
  const text = await request.text();
  if (text.trim() === '') return undefined;
  const body = parse(text);
  if (!isAsking(body)) {
    throw badRequest('Send a JSON object that holds fileId and nothing else, or no body.');
  }
  const { fileId } = body;
  if (fileId === undefined) return undefined;
  if (typeof fileId !== 'string' || !isId(fileId)) throw invalid('fileId is not the id of a file.');
  return fileId;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isAsking = (body: unknown): body is { fileId?: unknown } =>
  typeof body === 'object' &&
  body !== null &&
  !Array.isArray(body) &&
  Object.keys(body).every((key) => key === 'fileId');
