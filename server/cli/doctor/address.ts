import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { MIB, SECOND } from '../../contract/limits.ts';
import { isProxyUntrusted } from '../../web/http/client-address.ts';
import { type Finding, fine, problem, reasonOf } from './finding.ts';

const CONNECT_TIMEOUT_MS = 10 * SECOND;
const UPLOAD_TIMEOUT_MS = 60 * SECOND;
const MAX_CLOCK_DRIFT_MS = 5 * SECOND;
const BODY_SIZES = [2 * MIB, 12 * MIB];
/** A header of every response of the server, which the responses of a proxy don't have. */
const SERVER_HEADER = 'x-request-id';
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
      const { status, headers } = await fetch(`${appUrl}/files/upload/image/doctor`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: new Uint8Array(size),
        signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS),
      });
      if (headers.has(SERVER_HEADER) || status === BAD_GATEWAY) continue;
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
    const status = await upgradeStatus(new URL(`${appUrl}/ws?user_id=doctor`));
    if (status === 401 || status === 403) return fine('websocket', 'WebSocket connections arrive');
    return problem('websocket', `a WebSocket request is answered with ${status}`, change);
  } catch (error) {
    return problem('websocket', `a WebSocket request fails: ${reasonOf(error)}`, change);
  }
}

/** Sends an upgrade request by hand, because no client returns the status of a refused upgrade. */
function upgradeStatus(url: URL): Promise<number> {
  const isTls = url.protocol === 'https:';
  const where = { host: url.hostname, port: Number(url.port) || (isTls ? 443 : 80) };
  const request = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    `Origin: ${url.origin}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64')}`,
  ];
  return new Promise((resolve, reject) => {
    const socket = isTls ? connectTls({ ...where, servername: url.hostname }) : connectTcp(where);
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error('no answer')));
    let received = '';
    socket.once(isTls ? 'secureConnect' : 'connect', () =>
      socket.write(`${request.join('\r\n')}\r\n\r\n`),
    );
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const status = /^HTTP\/1\.\d (\d{3})/.exec(received)?.[1];
      if (!status) return;
      resolve(Number(status));
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
}
