import { Elysia } from 'elysia';
import { notFound, paymentRequired, unauthorized } from '../../errors.ts';
import type { Actor } from '../../platform/audit/record.ts';
import { isId } from '../../platform/ids.ts';
import { bearerToken } from '../accounts/guard.ts';
import type { Accounts } from '../accounts/service.ts';
import {
  type Bucket,
  type Buckets,
  looksLikeApiKey,
  requireNotBanned,
  requireNotDeleting,
} from '../buckets/service.ts';
import type { Tokens } from './service.ts';

/** `manage` accepts the owner's session and the API key; `upload` also accepts write tokens. */
export type Right = 'manage' | 'upload';

export type Caller = {
  bucket: Bucket;
  /** The caller as the owner of uploads: 'user:{id}', 'key' or 'token:{id}'. */
  uploader: string;
};

/** Returns the caller as the actor of an audit entry. */
export function actorOf({ uploader }: Caller): Actor {
  const userId = /^user:(.+)$/.exec(uploader)?.[1];
  return userId === undefined ? 'key' : { userId };
}

/**
 * `{ caller: right }` on a route with `:bucketID` identifies the caller and checks their right,
 * before the body is parsed or validated. Another owner's bucket looks like one that doesn't exist.
 */
export function bucketGuard(services: { accounts: Accounts; buckets: Buckets; tokens: Tokens }) {
  const { accounts, buckets, tokens } = services;
  const callers = new WeakMap<Request, Caller>();

  const identify = async (request: Request, bucketId: string, right: Right): Promise<Caller> => {
    const credential = request.headers.get('x-api-key') ?? bearerToken(request);
    if (!credential) throw unauthorized('Log in, or send an API key.');

    if (looksLikeApiKey(credential)) {
      const bucket = await buckets.byApiKey(credential);
      if (!bucket) throw unauthorized("The API key isn't valid.");
      if (bucket.id !== bucketId) throw notFound('Bucket');
      return { bucket, uploader: 'key' };
    }
    const session = await accounts.session(credential);
    if (session) {
      return {
        bucket: await buckets.ownedBy(session.userId, bucketId),
        uploader: `user:${session.userId}`,
      };
    }
    const bucket = isId(bucketId) ? await buckets.byId(bucketId) : undefined;
    const grant = bucket && (await tokens.grant(credential, 'write', bucket));
    if (!grant) {
      throw unauthorized(
        "The API key or token isn't valid or has expired. Log in, or send another one.",
      );
    }
    if (right !== 'upload') {
      throw unauthorized("Write tokens can only upload. Send the bucket's API key instead.");
    }
    return { bucket, uploader: `token:${grant.id}` };
  };

  return new Elysia({ name: 'bucket-guard' }).macro({
    caller: (right: Right) => {
      const check = async (context: { request: Request; params: { bucketID?: string } }) => {
        if (callers.has(context.request)) return;
        const caller = await identify(context.request, context.params.bucketID ?? '', right);
        requireNotDeleting(caller.bucket);
        if (right === 'upload') checkPaidFor(context.request, caller.bucket);
        requireNotBanned(caller.bucket, { isOwner: actorOf(caller) !== 'key', right });
        callers.set(context.request, caller);
      };
      return {
        parse: check as never,
        transform: check as never,
        resolve({ request }) {
          const caller = callers.get(request);
          if (!caller) throw unauthorized();
          return { caller };
        },
      };
    },
  });
}

/**
 * A suspended bucket accepts no bytes, but its uploads can be viewed and cancelled. Throws
 * payment-required.
 */
function checkPaidFor({ method }: Request, { status }: Bucket) {
  if (status !== 'suspended' || !['POST', 'PUT', 'PATCH'].includes(method)) return;
  throw paymentRequired("The account's balance is below zero. Top it up to upload files.");
}
