import { Elysia } from 'elysia';
import { MintBody, MintParams, TokenResponse } from '../../contract/schemas/buckets.ts';
import { badRequest, invalid } from '../../errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Buckets } from '../buckets/service.ts';
import { bucketGuard } from './guard.ts';
import type { Tokens } from './service.ts';

/** Mounts the call that creates tokens, which needs a session or the bucket's API key. */
export function tokenRoutes(services: { accounts: Accounts; buckets: Buckets; tokens: Tokens }) {
  return new Elysia().use(bucketGuard(services)).post(
    '/buckets/jwt/:bucketID/:expires/:scope',
    async ({ caller, params, request }) => ({
      jwt: await services.tokens.mint(caller, {
        scope: params.scope,
        expiresAt: params.expires,
        fileId: await requestedFile(request),
      }),
    }),
    {
      caller: 'mint',
      params: MintParams,
      // The handler reads the body itself: the framework would replace a missing or malformed one.
      parse: 'none',
      body: MintBody,
      response: TokenResponse,
      detail: {
        operationId: 'createToken',
        summary: 'Create a read or write token; send file_id to limit it to one file',
        tags: ['Tokens'],
        security: [{ apiKey: [] }, { session: [] }],
      },
    },
  );
}

/**
 * Returns the id of the file that the body of the call limits the token to; undefined where it
 * names none, which means the whole bucket. Every other body is refused, because a typing error
 * must not create a token for more than was meant. The content type is ignored, as curl sends every
 * body as a form. Throws bad-request, invalid.
 */
async function requestedFile(request: Request): Promise<string | undefined> {
  const text = await request.text();
  if (text.trim() === '') return undefined;
  const body = parse(text);
  if (!isTokenRequest(body)) {
    throw badRequest('Send a JSON object with only file_id, or no body.');
  }
  const { file_id: fileId } = body;
  if (fileId === undefined) return undefined;
  if (typeof fileId !== 'string' || !isId(fileId)) throw invalid('file_id is not a valid file id.');
  return fileId;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isTokenRequest = (body: unknown): body is { file_id?: unknown } =>
  typeof body === 'object' &&
  body !== null &&
  !Array.isArray(body) &&
  Object.keys(body).every((key) => key === 'file_id');
