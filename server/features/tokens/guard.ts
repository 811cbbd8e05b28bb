import type { Server } from 'bun';
import { Elysia } from 'elysia';
import { notFound, paymentRequired, unauthorized } from '../../errors.ts';
import type { Actor } from '../../platform/audit/record.ts';
import { isId } from '../../platform/ids.ts';
import { restartIdleTimeout } from '../../web/http/idle-timeout.ts';
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

type Identity = {
  bucket: Bucket;
  /** The caller as the owner of uploads: 'user:{id}', 'key' or 'token:{id}'. */
  uploader: string;
};

export type Caller = Identity & {
  /**
   * Throws, as the guard does, where the caller has lost the right since. A token may expire: what it has
   * begun goes on.
   */
  recheck: () => Promise<void>;
  /** Restarts the time after which the connection of a silent client is closed. */
  keepConnected: () => void;
};

/** Returns the caller as the actor of an audit entry. */
export function actorOf({ uploader }: Identity): Actor {
  const userId = /^user:(.+)$/.exec(uploader)?.[1];
  return userId === undefined ? 'key' : { userId };
}

type GuardContext = {
  request: Request;
  params: { bucketID?: string };
  server: Server<unknown> | null;
};
type GuardServices = { accounts: Accounts; buckets: Buckets; tokens: Tokens };

/**
 * `{ caller: right }` on a route with `:bucketID` identifies the caller and checks their right,
 * before the body is parsed or validated. Another owner's bucket looks like one that doesn't exist.
 */
export function bucketGuard(services: GuardServices) {
  const callers = new WeakMap<Request, Caller>();

  return new Elysia({ name: 'bucket-guard' }).macro({
    caller: (right: Right) => {
      const check = async ({ request, params, server }: GuardContext) => {
        if (callers.has(request)) return;
        const admitted = await admitCaller(services, request, params.bucketID ?? '', right);
        const keepConnected = () => restartIdleTimeout(server, request);
        callers.set(request, { ...admitted, keepConnected });
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

async function admitCaller(
  services: GuardServices,
  request: Request,
  bucketId: string,
  right: Right,
): Promise<Omit<Caller, 'keepConnected'>> {
  const { method } = request;
  const { isLive, ...caller } = await identify(services, request, bucketId, right);
  requireUsable(caller, method, right);
  const recheck = async () => {
    const bucket = await services.buckets.byId(bucketId);
    if (!bucket) throw notFound('Bucket');
    requireUsable({ ...caller, bucket }, method, right);
    if (!(await isLive(bucket))) throw unauthorized('The session or API key has been revoked.');
  };
  return { ...caller, recheck };
}

/** Who calls, and whether that may go on. It does after the expiry of a token. */
type Identified = Identity & { isLive: (current: Bucket) => boolean | Promise<boolean> };

async function identify(
  { accounts, buckets, tokens }: GuardServices,
  request: Request,
  bucketId: string,
  right: Right,
): Promise<Identified> {
  const credential = request.headers.get('x-api-key') ?? bearerToken(request);
  if (!credential) throw unauthorized('Log in, or send an API key.');

  if (looksLikeApiKey(credential)) {
    const bucket = await buckets.byApiKey(credential);
    if (!bucket) throw unauthorized("The API key isn't valid.");
    if (bucket.id !== bucketId) throw notFound('Bucket');
    return { bucket, uploader: 'key', isLive: hasSameKey(bucket) };
  }
  const session = await accounts.session(credential);
  if (session) {
    return {
      bucket: await buckets.ownedBy(session.userId, bucketId),
      uploader: `user:${session.userId}`,
      isLive: async () => (await accounts.session(credential)) !== null,
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
  return { bucket, uploader: `token:${grant.id}`, isLive: hasSameKey(bucket) };
}

/** Whether a bucket still has the API key that its tokens belong to. */
const hasSameKey = (before: Bucket) => (current: Bucket) =>
  current.key_version === before.key_version;

/** Throws where the status of a bucket forbids a call. */
function requireUsable(caller: Identity, method: string, right: Right): void {
  const { bucket } = caller;
  requireNotDeleting(bucket);
  if (right === 'upload') checkPaidFor(method, bucket);
  requireNotBanned(bucket, { isOwner: actorOf(caller) !== 'key', right });
}

/**
 * A suspended bucket accepts no bytes, but its uploads can be viewed and cancelled. Throws
 * payment-required.
 */
function checkPaidFor(method: string, { status }: Bucket) {
  if (status !== 'suspended' || !['POST', 'PUT', 'PATCH'].includes(method)) return;
  throw paymentRequired("The account's balance is below zero. Top it up to upload files.");
}
