import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { SECOND } from './contract/limits.ts';
import { createLog } from './platform/log.ts';
import { openServices } from './services.ts';
import { loadRenderer } from './web/renderer.ts';

const DRAIN = 8 * SECOND;
/** Milliseconds in which the first requests are answered, before pages are prepared for. */
const SOON = 100;

/** Runs the server until SIGTERM or SIGINT. Resolves once it listens. */
export async function serve(config: Config, mediaCommand: string[]): Promise<void> {
  const log = createLog(config.logLevel);
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const services = await openServices(config, {
    log,
    mediaCommand,
    announceMail: (path) => say(`No SMTP_URL is set, so a mail was written to ${path}`),
  });
  const app = createApp(services).listen({ port: config.port, hostname: config.host });
  await services.start();
  const rendering = setTimeout(prepareRenderer, SOON);
  say(`Wharf ${services.version} is at ${config.appUrl}`);
  say(`Open ${config.appUrl}/signup to make an account. Stop with Ctrl+C.`);

  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    clearTimeout(rendering);
    log.info({ signal }, 'stopping');
    await drain(app.server);
    await app.stop(true);
    await services.close();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
}

/** A page that comes before it is done waits for it, and fails with what it failed with. */
const prepareRenderer = () => void loadRenderer().catch(() => {});

/** Takes no new connections and lets the open requests end; open sockets would never let it return. */
async function drain(server: { stop(): unknown; pendingRequests: number } | null): Promise<void> {
  void server?.stop();
  const deadline = Date.now() + DRAIN;
  while (server && server.pendingRequests > 0 && Date.now() < deadline) await Bun.sleep(20);
}
