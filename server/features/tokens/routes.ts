import { Elysia } from 'elysia';
import { MintBody, MintParams, TokenResponse } from '../../contract/schemas/buckets.ts';
import { badRequest, invalid } from '../../errors.ts';
import { isId } from '../../platform/ids.ts';
import { bucketDetail } from '../../web/http/openapi-responses.ts';
import { bucketGuard, type GuardServices, type Reader } from './guard.ts';
import type { Limits, TokenTerms } from './service.ts';

/** A token with a longer one would be too long to be accepted. No folder has more bytes, and a slash. */
const MAX_PREFIX_BYTES = 513;
/** What paths begin with: names that can be in URLs, each with a slash behind it. */
const FOLDER = /^((?!\.\.?\/)[^/\p{Cc}]+\/)+$/u;

const TOKEN_FIELDS: ReadonlySet<string> = new Set(['name', 'file_id', 'prefix']);
type TokenRequest = { name?: unknown; file_id?: unknown; prefix?: unknown };

/** Mounts the call that creates tokens, which needs a session or the bucket's API key. */
export function tokenRoutes(services: GuardServices) {
  return new Elysia().use(bucketGuard(services)).post(
    '/buckets/jwt/:bucketID/:expires/:scope',
    async ({ caller, params, request }) => {
      const { name, ...limits } = await requestedTerms(request);
      const terms = { scope: params.scope, expiresAt: params.expires, ...limits };
      return name === undefined
        ? { jwt: await services.tokens.mint(caller, terms) }
        : createListedToken(services, caller, { ...terms, name });
    },
    {
      caller: 'mint',
      params: MintParams,
      // The handler reads the body itself: the framework would replace a missing or malformed one.
      parse: 'none',
      body: MintBody,
      response: TokenResponse,
      ...bucketDetail('Tokens')(
        'createToken',
        'Create a read or write token; send file_id or prefix to limit it to a file or folder',
      ),
    },
  );
}

/** Creates a token with a name, which the bucket lists. Throws what both services do. */
async function createListedToken(
  { buckets, tokens }: Pick<GuardServices, 'buckets' | 'tokens'>,
  caller: Reader,
  terms: TokenTerms & { scope: 'read' | 'write'; name: string },
): Promise<{ jwt: string; id: string }> {
  const { name, scope, fileId: file_id = null, prefix = null } = terms;
  return tokens.mintListed(caller, terms, (token) =>
    buckets.accessTokens.create(caller, { ...token, name, scope, file_id, prefix }),
  );
}

/**
 * Returns the name of the token and which files the body of the call limits it to; nothing where it names none, which
 * means the whole bucket. Every other body is refused, because a typing error must not create a token for more than was
 * meant. The content type is ignored, as curl sends every body as a form. Throws bad-request, invalid.
 */
async function requestedTerms(request: Request): Promise<Limits & { name?: string }> {
  const text = await request.text();
  if (text.trim() === '') return {};
  const body = parse(text);
  if (!isTokenRequest(body)) {
    throw badRequest('Send a JSON object with only name, file_id or prefix, or no body.');
  }
  const { name, file_id: fileId, prefix } = body;
  if (name !== undefined && typeof name !== 'string') throw invalid('name must be a text.');
  if (fileId !== undefined && (typeof fileId !== 'string' || !isId(fileId))) {
    throw invalid('file_id is not a valid file id.');
  }
  return {
    ...(name !== undefined && { name }),
    ...(fileId !== undefined && { fileId }),
    ...(prefix !== undefined && { prefix: requirePrefix(prefix) }),
  };
}

/** Requires the slash, since `photos` would also be the beginning of `photos-of-others/`. */
function requirePrefix(prefix: unknown): string {
  const isFolder =
    typeof prefix === 'string' &&
    Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES &&
    prefix.isWellFormed() &&
    FOLDER.test(prefix);
  if (!isFolder) {
    throw invalid(
      `prefix must be a folder like photos/2026/, with a slash at its end and at most ${MAX_PREFIX_BYTES} bytes.`,
    );
  }
  return prefix;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isTokenRequest = (body: unknown): body is TokenRequest =>
  typeof body === 'object' &&
  body !== null &&
  !Array.isArray(body) &&
  Object.keys(body).every((key) => TOKEN_FIELDS.has(key));
