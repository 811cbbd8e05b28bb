import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../client/wait.ts';
import { sweepTemporary } from '../server/sweep.ts';
import { readCompose, type Service } from '../services/compose.ts';
import type { Gateway } from '../services/rgw.ts';
import { type Container, createContainer } from './container.ts';
import { type Image, readImage } from './image.ts';
import { type Network, startNetwork } from './network.ts';
import { asContainer, checkOf } from './service.ts';

const PREFIX = 'wharf-composed-';

type Options = {
  /** The values of the file's variables. */
  values: Record<string, string>;
  /** Services that run on the host, at its address in the network. */
  outside?: Record<string, (host: string) => Gateway>;
};

type Parts = {
  services: Record<string, Service>;
  image: Image;
  network: Network;
  containers: Map<string, Container>;
  gateways: Map<string, Gateway>;
};

export type Composition = Awaited<ReturnType<typeof startComposition>>;

/**
 * Runs the services of a `docker compose` file on this machine without Docker. Each has its own
 * namespaces, and the command, environment, mounts, privileges and addresses of the file. Our image's
 * settings are the defaults. Resolves when all services are healthy. They end with this process, even
 * if it is killed.
 */
export async function startComposition(file: string, { values, outside = {} }: Options) {
  await sweepTemporary(PREFIX);
  const { services, volumes } = await readCompose(file, values);
  const image = await readImage();
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const inside = Object.keys(services).filter((name) => !(name in outside));
  const network = await startNetwork(inside);
  const outer = Object.entries(outside).map(([name, at]) => [name, at(network.host)] as const);
  const gateways = new Map<string, Gateway>(outer);
  await Bun.write(join(folder, 'hosts'), hostsFile(network, inside, Object.keys(outside)));
  for (const name of Object.keys(volumes)) await mkdir(join(folder, name));

  const containers = new Map<string, Container>();
  for (const name of inside) {
    const service = services[name] as Service;
    const about = { name, folder, namespace: network.namespace(name), image };
    containers.set(name, await createContainer(await asContainer(service, about)));
  }
  const parts: Parts = { services, image, network, containers, gateways };

  async function stop() {
    const running = [...containers.values()].filter((one) => one.isRunning());
    await Promise.all(running.map((one) => one.end('SIGKILL')));
    await Promise.all([...gateways.values()].map((one) => one.kill()));
    await network.stop();
    await rm(folder, { recursive: true, force: true });
  }

  try {
    await startAll(parts);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    image,
    stop,
    container: (name: string) => containerOf(parts, name),
    start: (name: string) => startService(parts, name),

    /** Stops a service as Docker does. Resolves with its exit code or the signal that ended it. */
    async stopService(name: string) {
      const grace = Number.parseInt(services[name]?.stop_grace_period ?? '10s', 10);
      return containerOf(parts, name).end('SIGTERM', grace);
    },

    /** Kills a service with all of its processes and restarts it, as `restart: unless-stopped` does. */
    async crash(name: string) {
      const gateway = gateways.get(name);
      if (gateway) await gateway.kill();
      else await containerOf(parts, name).end('SIGKILL');
      await startService(parts, name);
    },

    /** Returns the address of a service's port for this machine. */
    address: (name: string, port: number) => `http://${network.address(name)}:${port}`,

    /** Returns the path of a file in a volume on this machine. */
    volume: (name: string, ...path: string[]) => join(folder, name, ...path),
  };
}

/** Starts all services, each after its dependencies are healthy. */
async function startAll(parts: Parts) {
  const started = new Map<string, Promise<void>>();
  const up = (name: string): Promise<void> => {
    const promise = started.get(name) ?? upAfterOthers(name);
    started.set(name, promise);
    return promise;
  };
  const upAfterOthers = async (name: string) => {
    await Promise.all(Object.keys(parts.services[name]?.depends_on ?? {}).map(up));
    await startService(parts, name);
  };
  await Promise.all(Object.keys(parts.services).map(up));
}

/** Starts a service. Resolves when it is healthy. */
async function startService(parts: Parts, name: string) {
  const gateway = parts.gateways.get(name);
  if (gateway) return gateway.start();
  const container = containerOf(parts, name);
  container.start();
  const check = checkOf(parts.services[name] as Service, parts.image);
  const url = check.at(-1)?.replace('127.0.0.1', parts.network.address(name)) ?? '';
  // nginx' image contains wget, which this machine may not have.
  const needsWget = check[0] === 'wget' && !Bun.which('wget');
  await until(async () => (needsWget ? isWell(url) : (await container.run(...check)).status === 0));
}

function containerOf({ containers }: Parts, name: string): Container {
  const container = containers.get(name);
  if (!container) throw new Error(`There is no service ${name} that runs in a container here.`);
  return container;
}

const isWell = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

function hostsFile(network: Network, inside: string[], outside: string[]): string {
  const lines = [
    '127.0.0.1 localhost',
    ...inside.map((name) => `${network.address(name)} ${name}`),
    ...outside.map((name) => `${network.host} ${name}`),
  ];
  return `${lines.join('\n')}\n`;
}
