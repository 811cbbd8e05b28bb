import { Elysia } from 'elysia';
import { createApp } from '../app.ts';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';
import { SECOND } from '../contract/limits.ts';
import { AppError, notFound, renderError } from '../errors.ts';
import { createLog } from '../platform/log.ts';
import { isSystemError } from '../platform/system-error.ts';
import { toAppError } from '../request-lifecycle.ts';
import { healthRoutes } from '../runtime/health.ts';
import { metricsRoutes } from '../runtime/metrics.ts';
import type { Role } from '../runtime/roles.ts';
import { openServices, type Services } from '../services.ts';
import { loadRenderer } from '../web/islands/island.tsx';

const DRAIN = 8 * SECOND;
/** Who stops us kills us soon after. What is not done by then is taken up at the next start. */
const STOPPED = 9.5 * SECOND;
/** Somebody else's, not this machine's, or for root alone. */
const NO_ADDRESS = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'ENOENT'];
/** Milliseconds in which the first requests are answered, before pages are prepared for. */
const SOON = 100;

/** Runs the server until SIGTERM or SIGINT. Resolves once it listens. */
export async function serve(config: Config, mediaCommand: string[], role: Role): Promise<void> {
  const log = createLog(config.logLevel);
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const services = await openServices(config, {
    log,
    mediaCommand,
    role,
    announceMail: (path) => say(`SMTP_URL is not set; email written to ${path}`),
  });
  // What nobody looks at any more has failed: one request at most, and never all the others.
  process.on('unhandledRejection', (error) =>
    log.error({ error: String(error) }, 'unhandled error'),
  );
  const routes = role === 'media' ? mediaApp(services) : createApp(services);
  const app = listening(config, (address) => routes.listen(address));
  const started = services.start();
  const rendering = role === 'media' ? undefined : setTimeout(prepareRenderer, SOON);

  // From the first answer on: whoever is told that all is well may end it at once.
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    clearTimeout(rendering);
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.warn({}, 'stopped before all work was finished');
      log.flush();
      process.exit(0);
    }, STOPPED).unref();
    await drain(app.server);
    await started;
    await app.stop(true);
    await services.close();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));

  await started;
  if (role === 'media') {
    say(`Wharf ${services.version} is encoding. Health check: ${hostOf(config)}/health`);
  } else {
    say(`Wharf ${services.version} is running at ${config.appUrl}`);
    say(`Open ${config.appUrl}/signup to create an account. Press Ctrl+C to stop.`);
  }
  if (role !== 'web' && !services.tools()) {
    say('ffmpeg or ffprobe is missing, so uploads will fail. Install ffmpeg, or set FFMPEG_PATH.');
  }
}

/** A page that comes before it is done waits for it, and fails with what it failed with. */
const prepareRenderer = () => void loadRenderer().catch(() => {});

/**
 * Takes no new connections and lets the open requests end; open sockets would never let it return.
 */
async function drain(server: { stop(): unknown; pendingRequests: number } | null): Promise<void> {
  void server?.stop();
  const deadline = Date.now() + DRAIN;
  while (server && server.pendingRequests > 0 && Date.now() < deadline) await Bun.sleep(20);
}

/** A process that encodes says how it is, and nothing else. */
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

type Address = { port: number; hostname: string; reusePort: boolean };

/**
 * Throws OperatorError where the address is not to be had. It is not shared, as Elysia would: of
 * two servers that were given one port by mistake, each would get half of the requests.
 */
function listening<App>(config: Config, listen: (address: Address) => App): App {
  try {
    return listen({ port: config.port, hostname: config.host, reusePort: false });
  } catch (error) {
    if (!isSystemError(error, ...NO_ADDRESS)) throw error;
    throw new OperatorError(
      `Can't listen on ${hostOf(config)}: ${(error as Error).message.replace(/\.?$/, '.')} Check PORT and HOST.`,
    );
  }
}

const hostOf = ({ host, port }: Config) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
