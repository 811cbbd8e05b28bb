import type { EventEmitter } from 'node:events';
import type { BusboyConfig, BusboyInstance } from '@fastify/busboy';
import { KIB } from '../../../contract/limits.ts';
import { memoizeAsync } from '../../../contract/memoize.ts';
import { badRequest, unsupportedType } from '../../../errors.ts';
import { normalizeDisposition } from './content-disposition.ts';

/** The parser is loaded with the first form, so that the server starts sooner. */
const busboy = memoizeAsync(() => import('@fastify/busboy'));

export type FormParserOptions = Pick<BusboyConfig, 'limits' | 'isPartAFile'>;

/** What a form may have of each; the sizes are in bytes. */
export const LIMITS = { files: 2, fields: 20, parts: 24, fieldSize: 4 * KIB, fieldNameSize: 100 };

/** Returns a parser of the form of a request (RFC 7578). Throws unsupported-type and bad-request. */
export async function createFormParser(
  request: Pick<Request, 'headers'>,
  options: FormParserOptions = {},
): Promise<BusboyInstance> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw unsupportedType('Send a multipart/form-data form.');
  }
  const { Busboy } = await busboy();
  let parser: BusboyInstance;
  try {
    parser = new Busboy({ headers: { 'content-type': type }, limits: LIMITS, ...options });
  } catch {
    throw badRequest('The form has no boundary.');
  }
  return withNormalNames(parser);
}

/** What the parser makes of the parts of a form, before it reads their headers. */
type PartsParser = { _parser: { parser: EventEmitter } };
type PartHeaders = Record<string, string[] | undefined>;

/** Rewrites the headers of all parts before the parser reads them, for which it has no option. */
function withNormalNames(parser: BusboyInstance): BusboyInstance {
  const { parser: parts } = (parser as unknown as PartsParser)._parser;
  parts.prependListener('part', (part: EventEmitter) => {
    part.on('header', (headers: PartHeaders) => {
      const [disposition] = headers['content-disposition'] ?? [];
      if (disposition) headers['content-disposition'] = [normalizeDisposition(disposition)];
    });
  });
  return parser;
}
