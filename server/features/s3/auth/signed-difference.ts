import type { CanonicalParts } from './canonical-request.ts';
import type { SignedRequest } from './types.ts';

/** What a client has signed otherwise than it arrived. */
export type SignedDifference = {
  what: 'host' | 'path' | 'method';
  signed: string;
  arrived: string;
};

/** Each form is hashed, so a long request is not explained. */
const MAX_EXPLAINED_LENGTH = 8192;

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
/** The paths below which proxies publish an API, and which they take away. */
const PREFIXES = ['/s3', '/api', '/storage'];
/** What proxies say about the request that they have received. They only explain a refusal: a client can send them. */
const FORWARDED = ['x-forwarded-host', 'x-original-host', 'x-host'];

/**
 * Finds what a proxy has changed of a request whose signature doesn't match, in the ways in which proxies do; null
 * where that doesn't explain it.
 * @param hosts what the server is called in its settings
 * @param isSigned whether the client has signed these parts
 */
export function findSignedDifference(
  request: SignedRequest,
  parts: CanonicalParts,
  hosts: readonly string[],
  isSigned: (parts: CanonicalParts) => boolean,
): SignedDifference | null {
  if (request.rawPath.length + request.rawQuery.length > MAX_EXPLAINED_LENGTH) return null;
  const arrived = parts.headers.get('host') ?? '';
  for (const host of hostsOf(request, arrived, hosts)) {
    for (const path of pathsOf(parts.path)) {
      const changed = { ...parts, path, headers: new Map(parts.headers).set('host', host) };
      if (!isSigned(changed)) continue;
      return host === arrived
        ? { what: 'path', signed: path, arrived: parts.path }
        : { what: 'host', signed: host, arrived };
    }
  }
  for (const method of METHODS) {
    if (method === parts.method || !isSigned({ ...parts, method })) continue;
    return { what: 'method', signed: method, arrived: parts.method };
  }
  return null;
}

function hostsOf({ headers }: SignedRequest, arrived: string, hosts: readonly string[]) {
  const forwarded = FORWARDED.flatMap((name) => headers.get(name)?.split(',') ?? []);
  const named = [arrived, ...hosts, ...forwarded.slice(0, 4).map((host) => host.trim())];
  const port = headers.get('x-forwarded-port') ?? '';
  return new Set(
    named.flatMap((host) => {
      const bare = host.replace(/:\d+$/, '');
      return [host, bare, ...(/^\d{1,5}$/.test(port) ? [`${bare}:${port}`] : [])];
    }),
  );
}

/** Returns a path with and without what a proxy takes away, adds or merges. */
function pathsOf(path: string): Set<string> {
  const paths = [path, path.endsWith('/') ? path.slice(0, -1) : `${path}/`];
  for (const prefix of PREFIXES) {
    paths.push(path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : prefix + path);
  }
  return new Set(paths);
}

const TEXTS: Record<SignedDifference['what'], string> = {
  host: 'A proxy must pass on the Host header: in nginx, proxy_set_header Host $http_host.',
  path: 'A proxy must pass on the path as it was sent: in nginx, proxy_pass without a path.',
  method: 'A proxy must pass on the method.',
};

/** Returns what differs, as a sentence that says how to mend it. */
export const describeDifference = ({ what, signed, arrived }: SignedDifference): string =>
  `The client has signed the ${what} ${signed}, but the request arrived with ${arrived}. ${TEXTS[what]}`;
