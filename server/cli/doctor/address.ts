import { MIB, SECOND } from '../../contract/limits.ts';
import { isProxyUntrusted } from '../../web/http/client-address.ts';
import { type Finding, fine, problem, reasonOf } from './finding.ts';
import { requestByHand } from './raw-request.ts';

const CONNECT_TIMEOUT_MS = 10 * SECOND;
const MAX_CLOCK_DRIFT_MS = 5 * SECOND;
const BODY_SIZES = [2 * MIB, 12 * MIB];
/** A header of every response of the server, which the responses of a proxy don't have. */
const SERVER_HEADER = /^x-request-id:/im;
/**
 * The server refuses a request before its body has arrived, which an unbuffered proxy reports as
 * 502.
 */
const BAD_GATEWAY = 502;
const BODY_ADVICE =
  'Let the proxy accept bodies of any size: in nginx, client_max_body_size 0 and proxy_request_buffering off. Wharf enforces its own limits.';

/** Whether anything answers at the public address, or on the server's own port of this machine. */
export async function isServerRunning(appUrl: string, host: string, port: number) {
  const local = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const own = `http://${local.includes(':') ? `[${local}]` : local}:${port}`;
  const answers = await Promise.all(
    [appUrl, own].map((url) => getHealth(url).then(Boolean, () => false)),
  );
  return answers.includes(true);
}

/** Checks the public address from outside, through all proxies in front of the server. */
export async function checkAddress(
  { appUrl, trustedHops }: { appUrl: string; trustedHops: number },
  version: string,
): Promise<Finding[]> {
  let response: Response;
  try {
    response = await getHealth(appUrl);
    const health = (await response.json()) as { version?: string };
    if (health.version !== version)
      throw new Error(`the server there is version ${health.version}`);
  } catch (error) {
    const change =
      'Set APP_URL to the public address of the server, and point that address at this server.';
    return [problem('address', `${appUrl} does not reach this server: ${reasonOf(error)}`, change)];
  }
  return [
    fine('address', `${appUrl} reaches this server`),
    ...proxyOf(response, appUrl, trustedHops),
    clockOf(response, Date.now()),
    await checkBodies(appUrl),
    await checkSocket(appUrl),
  ];
}

const getHealth = (url: string) =>
  fetch(`${url}/health`, {
    signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS),
    redirect: 'manual',
  });

/** Checks that limits can tell the clients of a proxy apart. Proxies add headers that Wharf doesn't. */
function proxyOf({ headers }: Response, appUrl: string, trustedHops: number): Finding[] {
  const isProxied = headers.has('server') || headers.has('via');
  if (isProxyUntrusted(appUrl, trustedHops) || (isProxied && trustedHops === 0)) {
    return [
      problem(
        'proxy',
        'a proxy is in front of the server, so all clients share one rate limit',
        'Set TRUST_PROXY to the number of your proxies, each of which must add to X-Forwarded-For.',
      ),
    ];
  }
  return isProxied ? [fine('proxy', 'rate limits use the address that the proxy reports')] : [];
}

function clockOf({ headers }: Response, now: number): Finding {
  const there = Date.parse(headers.get('date') ?? '');
  const drift = Math.abs(there - now);
  if (!(drift > MAX_CLOCK_DRIFT_MS))
    return fine('clock', 'the clock here matches the one at the public address');
  return problem(
    'clock',
    `${Math.round(drift / SECOND)} s off from the clock at the public address`,
    'Synchronise the clock with NTP, such as systemd-timesyncd: codes, tokens and charges depend on it.',
  );
}

/**
 * Checks that large bodies arrive. Without a key the server refuses them, which shows that they do.
 */
async function checkBodies(appUrl: string): Promise<Finding> {
  for (const size of BODY_SIZES) {
    const label = `${size / MIB} MiB`;
    try {
      const { status, head } = await requestByHand(new URL(`${appUrl}/files/upload/image/doctor`), {
        method: 'POST',
        lines: ['Connection: close', 'Content-Type: application/octet-stream'],
        body: new Uint8Array(size),
      });
      if (SERVER_HEADER.test(head) || status === BAD_GATEWAY) continue;
      return problem('uploads', `a proxy answers a body of ${label} with ${status}`, BODY_ADVICE);
    } catch (error) {
      return problem(
        'uploads',
        `a body of ${label} does not arrive: ${reasonOf(error)}`,
        BODY_ADVICE,
      );
    }
  }
  return fine(
    'uploads',
    `bodies of ${BODY_SIZES.map((size) => size / MIB).join(' and ')} MiB arrive`,
  );
}

/**
 * Checks that WebSocket requests arrive. The server refuses this one, because it has no session.
 */
async function checkSocket(appUrl: string): Promise<Finding> {
  const change =
    'Pass the Upgrade and Connection headers through for /ws: in nginx, proxy_http_version 1.1, proxy_set_header Upgrade $http_upgrade, proxy_set_header Connection upgrade.';
  try {
    const url = new URL(`${appUrl}/ws?user_id=doctor`);
    const key = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
    const { status } = await requestByHand(url, {
      method: 'GET',
      lines: [
        `Origin: ${url.origin}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${key}`,
      ],
    });
    if (status === 401 || status === 403) return fine('websocket', 'WebSocket connections arrive');
    return problem('websocket', `a WebSocket request is answered with ${status}`, change);
  } catch (error) {
    return problem('websocket', `a WebSocket request fails: ${reasonOf(error)}`, change);
  }
}
