import type { Server } from 'bun';
import { Elysia } from 'elysia';
import { type AppError, notFound, paymentRequired, unauthorized } from '../../errors.ts';
import { isId } from '../../platform/ids.ts';
import { restartIdleTimeout } from '../../web/http/idle-timeout.ts';
import { can, type Refusal } from '../access/can.ts';
import { sessionPrincipal, type Uploader, uploaderName } from '../access/principal.ts';
import { bearerToken } from '../accounts/guard.ts';
import type { Accounts } from '../accounts/service.ts';
import {
  type Bucket,
  type Buckets,
  banned,
  bucketBeingDeleted,
  looksLikeApiKey,
} from '../buckets/service.ts';
import type { Tokens } from './service.ts';

/** `manage` accepts the owner's session and the API key; `upload` also accepts write tokens. */
export type Right = 'manage' | 'upload';

export type Caller = {
  bucket: Bucket;
  principal: Uploader;
  /** The name under which the caller's uploads are stored. */
  uploader: string;
  /**
   * Throws, as the guard does, where the caller has lost the right since. A token may expire: what it has
   * begun goes on.
   */
  recheck: () => Promise<void>;
  /** Restarts the time after which the connection of a silent client is closed. */
  keepConnected: () => void;
};

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
  const action = actionOf(request.method, right);
  const { isLive, bucket, principal } = await identify(services, request, bucketId);
  const requireAllowed = (current: Bucket) => {
    const refusal = can(principal, action, current);
    if (refusal) throw toBucketError(refusal);
  };
  requireAllowed(bucket);
  const recheck = async () => {
    const current = await services.buckets.byId(bucketId);
    if (!current) throw notFound('Bucket');
    requireAllowed(current);
    if (!(await isLive(current))) throw unauthorized('The session or API key has been revoked.');
  };
  return { bucket, principal, uploader: uploaderName(principal), recheck };
}

/** A suspended bucket accepts no bytes, but its uploads can be viewed and cancelled. */
function actionOf(method: string, right: Right) {
  if (right === 'manage') return 'manage-files';
  return ['POST', 'PUT', 'PATCH'].includes(method) ? 'upload' : 'view-uploads';
}

/** Returns the error of a call that is refused. Another owner's bucket looks like one that doesn't exist. */
function toBucketError(refusal: Refusal): AppError {
  switch (refusal) {
    case 'deleting':
      return bucketBeingDeleted();
    case 'unpaid':
      return paymentRequired("The account's balance is below zero. Top it up to upload files.");
    case 'banned':
      return banned();
    case 'upload-only':
      return unauthorized("Write tokens can only upload. Send the bucket's API key instead.");
    case 'unauthenticated':
      return unauthorized(INVALID_CREDENTIAL);
    default:
      return notFound('Bucket');
  }
}

const INVALID_CREDENTIAL =
  "The API key or token isn't valid or has expired. Log in, or send another one.";

/** Who calls, and whether that may go on. It does after the expiry of a token. */
type Identified = Pick<Caller, 'bucket' | 'principal'> & {
  isLive: (current: Bucket) => boolean | Promise<boolean>;
};

async function identify(
  { accounts, buckets, tokens }: GuardServices,
  request: Request,
  bucketId: string,
): Promise<Identified> {
  const credential = request.headers.get('x-api-key') ?? bearerToken(request);
  if (!credential) throw unauthorized('Log in, or send an API key.');

  if (looksLikeApiKey(credential)) {
    const own = await buckets.byApiKey(credential);
    if (!own) throw unauthorized("The API key isn't valid.");
    const bucket = own.id === bucketId ? own : await bucketAt(buckets, bucketId);
    const principal = { kind: 'api-key', bucketId: own.id } as const;
    return { bucket, principal, isLive: hasSameKey(bucket) };
  }
  const session = await accounts.session(credential);
  if (session) {
    return {
      bucket: await bucketAt(buckets, bucketId),
      principal: sessionPrincipal(session),
      isLive: async () => (await accounts.session(credential)) !== null,
    };
  }
  const bucket = isId(bucketId) ? await buckets.byId(bucketId) : undefined;
  const claims = bucket && (await tokens.grant(credential, 'write', bucket));
  if (!claims) throw unauthorized(INVALID_CREDENTIAL);
  return { bucket, principal: { kind: 'write-token', claims }, isLive: hasSameKey(bucket) };
}

/** Returns a bucket, whoever owns it. Throws not-found. */
async function bucketAt(buckets: Buckets, id: string): Promise<Bucket> {
  const bucket = isId(id) ? await buckets.byId(id) : undefined;
  if (!bucket) throw notFound('Bucket');
  return bucket;
}

/** Whether a bucket still has the API key that its tokens belong to. */
const hasSameKey = (before: Bucket) => (current: Bucket) =>
  current.key_version === before.key_version;
