import { Elysia } from 'elysia';
import { createApp } from '../app.ts';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';
import { SECOND } from '../contract/limits.ts';
import { formatBytes } from '../contract/units.ts';
import { AppError, notFound, renderError } from '../errors.ts';
import { listenS3, type S3Listener } from '../features/s3/service.ts';
import { createLog, type Log } from '../platform/log.ts';
import { describeNetworkDisk, findNetworkType } from '../platform/mounts.ts';
import { isSystemError } from '../platform/system-error.ts';
import { toAppError } from '../request-lifecycle.ts';
import { captureConsole, say } from '../runtime/console-lines.ts';
import { healthRoutes } from '../runtime/health.ts';
import { metricsRoutes } from '../runtime/metrics.ts';
import type { Role } from '../runtime/roles.ts';
import { openServices, type Services } from '../services.ts';
import { isProxyUntrusted } from '../web/http/client-address.ts';
import { loadRenderer } from '../web/islands/island.tsx';

const DRAIN_TIMEOUT_MS = 8 * SECOND;
/**
 * Service managers kill a process some 10 s after SIGTERM. Unfinished work continues at the next
 * start.
 */
const STOP_TIMEOUT_MS = 9.5 * SECOND;
/** The errors for an address that is in use, is not of this machine, or needs root. */
const ADDRESS_ERRORS = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'ENOENT'];
/**
 * How many milliseconds after the start the renderer is loaded, so that first requests do not wait
 * for it.
 */
const SETTLE_DELAY_MS = 100;

/** Runs the server until SIGTERM or SIGINT. Resolves once it listens. */
export async function serve(config: Config, mediaCommand: string[], role: Role): Promise<void> {
  const log = createLog(config.logLevel);
  captureConsole((level, text) => log[level]({}, text));
  const services = await openServices(config, {
    log,
    mediaCommand,
    role,
    announceMail: (path) => say(`SMTP_URL is not set; email written to ${path}`),
  });
  handleUncaught(log);
  const routes = role === 'media' ? mediaApp(services) : createApp(services);
  const app = listening(config, (address) => routes.listen(address));
  const starting = new AbortController();
  const started = services.start(starting.signal);
  const s3 = role === 'media' ? Promise.resolve(null) : listeningS3(config, services);
  const settling = setTimeout(() => void settle(role), SETTLE_DELAY_MS);

  // Signals are handled before the start has finished, as a test or supervisor may stop us at once.
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    starting.abort();
    clearTimeout(settling);
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.warn({}, 'stopped before all work was finished');
      log.flush();
      process.exit(0);
    }, STOP_TIMEOUT_MS).unref();
    // Jobs are given back first, while open requests are answered: they would be attempts that failed.
    const s3Drained = s3.then((listener) => listener?.stop(DRAIN_TIMEOUT_MS)).catch(() => {});
    await Promise.all([
      drain(app.server),
      s3Drained,
      started.catch(() => {}).then(() => services.stopWork()),
    ]);
    await app.stop(true);
    await services.close();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));

  try {
    await s3;
    await started;
  } catch (error) {
    if (stopping) return;
    throw error;
  }
  for (const warning of await warningsOf(config, services, role)) say(warning, 'warn');
  say(announcement(config, services.version, role));
}

/** Logs what no request or job has handled. */
function handleUncaught(log: Log): void {
  // An unhandled rejection concerns at most one request, so it must not end the process.
  process.on('unhandledRejection', (error) =>
    log.error({ error: String(error) }, 'unhandled error'),
  );
  process.on('uncaughtException', (error) => {
    log.error(
      { error: String(error), stack: error.stack },
      'ended by an error that was not caught',
    );
    log.flush();
    process.exit(1);
  });
}

/** Listens for the S3 API; null where it has no port of its own. Throws OperatorError where that is not possible. */
async function listeningS3({ s3, host }: Config, services: Services): Promise<S3Listener | null> {
  const port = s3?.port ?? null;
  if (port === null || !services.s3) return null;
  try {
    return await listenS3(services.s3, { port, host });
  } catch (error) {
    if (!isSystemError(error, ...ADDRESS_ERRORS)) throw error;
    throw new OperatorError(
      `Can't listen on port ${port} for the S3 API: ${(error as Error).message.replace(/\.?$/, '.')} Check S3_PORT and HOST.`,
    );
  }
}

/** Returns what the server prints once it runs. */
function announcement(config: Config, version: string, role: Role): string {
  if (role === 'media') {
    return `Wharf ${version} is encoding. Health check: ${hostOf(config)}/health`;
  }
  return `Wharf ${version} is running at ${config.appUrl}
${config.s3 ? `The S3 API is at ${config.s3.url}\n` : ''}Open ${config.appUrl}/signup to create an account. Press Ctrl+C to stop.`;
}

/** Returns what is probably wrong with the machine, and with the settings of a server that answers requests. */
async function warningsOf(config: Config, services: Services, role: Role): Promise<string[]> {
  const warnings = role === 'media' ? [] : addressWarnings(config);
  const network = config.database.kind === 'sqlite' ? findNetworkType(config.dataDir) : null;
  if (network) warnings.push(describeNetworkDisk(config.dataDir, network).join('. '));
  await services.diskReserve.require().catch(() => {
    warnings.push(
      `Less than ${formatBytes(config.diskReserveBytes)} of disk space is free, so uploads and processing are stopped. Free up space, or set DISK_RESERVE_BYTES.`,
    );
  });
  if (role !== 'web' && !services.tools()) {
    warnings.push(
      'ffmpeg or ffprobe is missing, so uploads will fail. Install ffmpeg, or set FFMPEG_PATH.',
    );
  }
  return warnings;
}

function addressWarnings(config: Config): string[] {
  const warnings: string[] = [];
  if (!config.isAppUrlSet && (config.trustedHops > 0 || !isLoopback(config.host))) {
    warnings.push(
      `APP_URL is not set, so emails and pages link to ${config.appUrl}. Set it to the address that people open.`,
    );
  }
  if (isProxyUntrusted(config.appUrl, config.trustedHops)) {
    warnings.push(
      'TRUST_PROXY is not set, so all clients share one rate limit. Set it to the number of proxies in front of Wharf.',
    );
  }
  return warnings;
}

/**
 * Loads the renderer early; a page that needs it waits for it, and fails with the same error. Then it has JavaScriptCore
 * forget the code that has run, once nothing runs. That is 2,200 functions, of which most were for the start: they take
 * 5 MiB, and a collection of garbage keeps them. Those that are called again are compiled again from their text.
 */
async function settle(role: Role): Promise<void> {
  if (role !== 'media') await loadRenderer().catch(() => {});
  Bun.shrink();
}

/**
 * Stops accepting connections and waits until the open requests end. Open WebSockets are not waited
 * for.
 */
async function drain(server: { stop(): unknown; pendingRequests: number } | null): Promise<void> {
  void server?.stop();
  const deadline = Date.now() + DRAIN_TIMEOUT_MS;
  while (server && server.pendingRequests > 0 && Date.now() < deadline) await Bun.sleep(20);
}

/** The app of a media process, which serves only the health check and the metrics. */
const mediaApp = (services: Services) =>
  new Elysia()
    .onError(({ code, error }) => {
      const appError = code === 'NOT_FOUND' ? notFound('Page') : toAppError(code, error);
      return renderError(
        appError ?? new AppError(500, 'unexpected', 'An unexpected error occurred.'),
      );
    })
    .use(healthRoutes(services))
    .use(metricsRoutes(services));

/** Whether only this machine reaches a host, such as a proxy on it, or someone who tries Wharf out. */
const isLoopback = (host: string) => /^(127\.|::1$|localhost$)/.test(host);

type Address = { port: number; hostname: string; reusePort: boolean };

/**
 * Listens at the configured address. Throws OperatorError where that is not possible. Elysia would
 * share the port by default, and two servers with the same port by mistake would each get half of
 * the requests.
 */
function listening<App>(config: Config, listen: (address: Address) => App): App {
  try {
    return listen({ port: config.port, hostname: config.host, reusePort: false });
  } catch (error) {
    if (!isSystemError(error, ...ADDRESS_ERRORS)) throw error;
    throw new OperatorError(
      `Can't listen on ${hostOf(config)}: ${(error as Error).message.replace(/\.?$/, '.')} Check PORT and HOST.`,
    );
  }
}

const hostOf = ({ host, port }: Config) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
