import { isId } from '../../../../platform/ids.ts';
import { type Bucket, parseRules } from '../../../buckets/service.ts';
import type { S3Caller } from '../../auth/types.ts';
import type { OperationDeps } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Address, S3Request } from '../../request.ts';
import { findGrants } from '../policy/grants.ts';
import { findCorsRules } from './configuration.ts';
import { type CorsRule, matchCors } from './rules.ts';

/*
 * What scripts of other sites may do. A bucket with a configuration does what that says. Every other one lets them send
 * whatever is signed, and read it, as an upload with a presigned URL does: the signature decides.
 */

type AnswerHeaders = Record<string, string>;

/** A request, and who has proved that it is theirs. */
export type CorsRequest = {
  request: S3Request;
  address: S3Address;
  caller: S3Caller;
};

/** Caches must not give a script what another one was answered. */
const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';

/**
 * Answers a preflight. Throws BadRequest, and AccessForbidden where the configuration of the bucket doesn't allow it.
 * @param asking.caller who has signed the URL for the request that will follow
 */
export async function preflight(deps: OperationDeps, asking: CorsRequest): Promise<AnswerHeaders> {
  const { headers } = asking.request;
  const [origin, method] = ['origin', 'access-control-request-method'].map((name) =>
    headers.get(name),
  );
  if (!origin || !method) {
    throw new S3Error(
      'BadRequest',
      'OPTIONS needs the headers Origin and Access-Control-Request-Method, as browsers send them.',
    );
  }
  const asked = headers.get('access-control-request-headers');
  const names = (asked ?? '').split(',').flatMap((name) => name.trim() || []);
  const { rules } = await findCors(deps, asking, { isRead: false });
  if (rules === null) {
    return {
      ...{ 'access-control-allow-origin': '*', vary: VARY },
      'access-control-allow-methods': 'GET, HEAD, PUT, POST, DELETE',
      'access-control-allow-headers': asked ?? '*',
      'access-control-max-age': '86400',
    };
  }
  const match = matchCors(rules, { origin, method, headers: names });
  if (!match) {
    throw new S3Error(
      'AccessForbidden',
      'CORSResponse: no rule of the bucket allows this origin, method and these headers.',
      { Method: method },
    );
  }
  return {
    ...ruleHeaders(match),
    ...(names.length > 0 && { 'access-control-allow-headers': names.join(', ') }),
  };
}

/**
 * Returns the headers for the script that has sent a request, also where the request is refused.
 * @param status that of the response
 */
export async function corsHeaders(
  deps: OperationDeps,
  asking: CorsRequest,
  status: number,
): Promise<AnswerHeaders> {
  const { request, address } = asking;
  const { headers, method } = request;
  const origin = headers.get('origin');
  if (origin === null) return { vary: 'Origin' };
  const { rules, bucket } = await findCors(deps, asking, {
    isRead: isRead(request, address) && status < 400,
  });
  if (rules === null) return defaultHeaders(bucket, { origin, isRead: isRead(request, address) });
  const wanted = headers.get('access-control-request-method') ?? method;
  const match = matchCors(rules, { origin, method: wanted, headers: [] });
  return match ? ruleHeaders(match) : { vary: VARY };
}

const isRead = ({ method }: S3Request, { key }: S3Address): boolean =>
  key !== null && (method === 'GET' || method === 'HEAD');

/** The rules of the dashboard are about who reads files. */
function defaultHeaders(
  bucket: Bucket | undefined,
  { origin, isRead }: { origin: string; isRead: boolean },
): AnswerHeaders {
  const origins = isRead && bucket ? parseRules(bucket.delivery_rules).cors_origins : [];
  const allowed = origins.length === 0 ? '*' : origins.includes(origin) ? origin : origins[0];
  return {
    vary: 'Origin',
    'access-control-allow-origin': allowed ?? '*',
    'access-control-expose-headers': '*',
  };
}

function ruleHeaders({
  rule,
  allowedOrigin,
}: {
  rule: CorsRule;
  allowedOrigin: string;
}): AnswerHeaders {
  return {
    vary: VARY,
    'access-control-allow-origin': allowedOrigin,
    'access-control-allow-methods': rule.methods.join(', '),
    ...(allowedOrigin !== '*' && { 'access-control-allow-credentials': 'true' }),
    ...(rule.exposed.length > 0 && { 'access-control-expose-headers': rule.exposed.join(', ') }),
    ...(rule.maxAge !== undefined && { 'access-control-max-age': String(rule.maxAge) }),
  };
}

/** Returns the bucket that a script may know of, and its rules; null where it has none. */
async function findCors(
  deps: OperationDeps,
  asking: CorsRequest,
  options: { isRead: boolean },
): Promise<{ bucket: Bucket | undefined; rules: CorsRule[] | null }> {
  const name = asking.address.bucket;
  const bucket = name === null ? undefined : await findKnown(deps, asking.caller, name, options);
  return { bucket, rules: bucket ? await findCorsRules(deps, bucket) : null };
}

/**
 * Returns the bucket that a request names, where its caller may know that there is one. Names are guessed, and key IDs stand
 * in every presigned URL: the rules of a private bucket would tell each who asks with another's ID that it is there.
 * @param options.isRead whether an object was read, which is then public or the caller's
 */
async function findKnown(
  deps: OperationDeps,
  caller: S3Caller,
  name: string,
  { isRead }: { isRead: boolean },
): Promise<Bucket | undefined> {
  const { buckets } = deps;
  if (isId(name)) return buckets.byId(name);
  const own =
    caller.kind === 'key' ? await buckets.byS3Name(caller.principal.userId, name) : undefined;
  if (own) return own;
  const first = await buckets.s3.byPublicName(name);
  if (!first || isRead) return first;
  return (await findGrants(deps, first, caller)).isKnown ? first : undefined;
}
