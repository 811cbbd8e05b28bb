import { Elysia } from 'elysia';
import { MintBody, MintParams, TokenResponse } from '../../contract/schemas/buckets.ts';
import { badRequest, invalid } from '../../errors.ts';
import { isId } from '../../platform/ids.ts';
import { bucketDetail } from '../../web/http/openapi-responses.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Buckets } from '../buckets/service.ts';
import { bucketGuard } from './guard.ts';
import type { Limits, Tokens } from './service.ts';

/** A token with a longer one would be too long to be accepted. No folder has more bytes, and a slash. */
const MAX_PREFIX_BYTES = 513;
/** What paths begin with: names that can be in URLs, each with a slash behind it. */
const FOLDER = /^((?!\.\.?\/)[^/\p{Cc}]+\/)+$/u;

/** Mounts the call that creates tokens, which needs a session or the bucket's API key. */
export function tokenRoutes(services: { accounts: Accounts; buckets: Buckets; tokens: Tokens }) {
  return new Elysia().use(bucketGuard(services)).post(
    '/buckets/jwt/:bucketID/:expires/:scope',
    async ({ caller, params, request }) => ({
      jwt: await services.tokens.mint(caller, {
        scope: params.scope,
        expiresAt: params.expires,
        ...(await requestedLimits(request)),
      }),
    }),
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

/**
 * Returns which files the body of the call limits the token to; nothing where it names none, which means the whole
 * bucket. Every other body is refused, because a typing error must not create a token for more than was meant. The
 * content type is ignored, as curl sends every body as a form. Throws bad-request, invalid.
 */
async function requestedLimits(request: Request): Promise<Limits> {
  const text = await request.text();
  if (text.trim() === '') return {};
  const body = parse(text);
  if (!isTokenRequest(body)) {
    throw badRequest('Send a JSON object with only file_id or prefix, or no body.');
  }
  const { file_id: fileId, prefix } = body;
  if (fileId !== undefined && (typeof fileId !== 'string' || !isId(fileId))) {
    throw invalid('file_id is not a valid file id.');
  }
  return {
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

const isTokenRequest = (body: unknown): body is { file_id?: unknown; prefix?: unknown } =>
  typeof body === 'object' &&
  body !== null &&
  !Array.isArray(body) &&
  Object.keys(body).every((key) => key === 'file_id' || key === 'prefix');
