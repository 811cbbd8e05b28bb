import { Elysia } from 'elysia';
import { MintBody, MintParams, TokenAnswer } from '../../contract/schemas/tokens.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Buckets } from '../buckets/service.ts';
import { bucketGuard } from './guard.ts';
import { requestedFile } from './requested-file.ts';
import type { Tokens } from './service.ts';

/** The API that mints tokens, for a session or the bucket's API key. */
export function tokenRoutes(services: { accounts: Accounts; buckets: Buckets; tokens: Tokens }) {
  return new Elysia().use(bucketGuard(services)).post(
    '/buckets/jwt/:bucketID/:expires/:scope',
    async ({ caller, params, request }) => ({
      jwt: await services.tokens.mint(caller.bucket, {
        scope: params.scope,
        expiresAt: params.expires,
        fileId: await requestedFile(request),
      }),
    }),
    {
      caller: 'manage',
      params: MintParams,
      // The handler reads the body itself: the framework would replace a missing or malformed one.
      parse: 'none',
      body: MintBody,
      response: TokenAnswer,
      detail: {
        summary: 'Create a read or write token; send fileId to limit it to one file',
        tags: ['Tokens'],
        security: [{ apiKey: [] }, { session: [] }],
      },
    },
  );
}
