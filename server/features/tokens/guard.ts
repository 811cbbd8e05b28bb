import type { Server } from 'bun';
import { Elysia } from 'elysia';
import { type AppError, forbidden, notFound, paymentRequired, unauthorized } from '../../errors.ts';
import { isId } from '../../platform/ids.ts';
import { restartIdleTimeout } from '../../web/http/idle-timeout.ts';
import { can, type Refusal } from '../access/can.ts';
import {
  isRevoked,
  keyPrincipal,
  sessionPrincipal,
  type Uploader,
  uploaderName,
} from '../access/principal.ts';
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

/**
 * All accept the owner's session and API keys with the scope for it: `read` and `write` those of the files, `mint` that
 * of the token to create. `upload` also accepts write tokens.
 */
export type Right = 'read' | 'write' | 'mint' | 'upload';

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

/** Who reads files, with a token that ends with their right to. */
export type Reader = Pick<Caller, 'bucket' | 'principal'>;

type GuardContext = {
  request: Request;
  params: { bucketID?: string; scope?: string };
  server: Server<unknown> | null;
};
/** What routes for callers of buckets need. */
export type GuardServices = { accounts: Accounts; buckets: Buckets; tokens: Tokens };

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
        const action = actionOf(request.method, right, params.scope);
        const admitted = await admitCaller(services, request, params.bucketID ?? '', action);
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
  action: BucketAction,
): Promise<Omit<Caller, 'keepConnected'>> {
  const { isLive, bucket, principal } = await identify(services, request, bucketId);
  const requireAllowed = (current: Bucket) => {
    const refusal = can(principal, action, current);
    if (refusal) throw toBucketError(refusal);
  };
  requireAllowed(bucket);
  if (principal.kind === 'write-token') services.tokens.noteUse(principal.claims);
  const recheck = async () => {
    const current = await services.buckets.byId(bucketId);
    if (!current) throw notFound('Bucket');
    requireAllowed(current);
    if (!(await isLive(current))) throw unauthorized('The session or API key has been revoked.');
  };
  return { bucket, principal, uploader: uploaderName(principal), recheck };
}

type BucketAction = 'read-files' | 'write-files' | 'upload' | 'view-uploads';

/** A suspended bucket accepts no bytes, but its uploads can be viewed and cancelled. */
function actionOf(method: string, right: Right, tokenScope?: string): BucketAction {
  if (right === 'mint') return tokenScope === 'write' ? 'write-files' : 'read-files';
  if (right !== 'upload') return `${right}-files`;
  return ['POST', 'PUT', 'PATCH'].includes(method) ? 'upload' : 'view-uploads';
}

/** Requires that a caller of one bucket may also store files in another one. Throws what the guard does. */
export function requireUpload(principal: Uploader, bucket: Bucket | undefined): Bucket {
  if (!bucket) throw notFound('Bucket');
  const refusal = can(principal, 'upload', bucket);
  if (refusal) throw toBucketError(refusal);
  return bucket;
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
    case 'read-only':
      return forbidden('This API key can only read. Use a key that can write.');
    case 'write-only':
      return forbidden('This API key can only write. Use a key that can read.');
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
    const own = await buckets.apiKeys.find(credential);
    if (!own) throw unauthorized("The API key isn't valid.");
    return {
      bucket: own.bucket.id === bucketId ? own.bucket : await bucketAt(buckets, bucketId),
      principal: keyPrincipal(own.bucket.id, own.key),
      isLive: () => buckets.apiKeys.exists(credential),
    };
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
  return {
    bucket,
    principal: { kind: 'write-token', claims },
    isLive: (current) => !isRevoked(claims, current),
  };
}

/** Returns a bucket, whoever owns it. Throws not-found. */
async function bucketAt(buckets: Buckets, id: string): Promise<Bucket> {
  const bucket = isId(id) ? await buckets.byId(id) : undefined;
  if (!bucket) throw notFound('Bucket');
  return bucket;
}
