import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBucket } from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { type Image, readImage } from '../support/containers/image.ts';
import { doMainJob, type Front, newUser } from '../support/fixtures/main-job.ts';
import { freePort } from '../support/server/free-port.ts';
import { ROOT } from '../support/server/program.ts';
import { APP_URL } from '../support/server/scaled.ts';

/** The build installs ffmpeg and the dependencies of bun.lock. */
setDefaultTimeout(15 * 60_000);
const NAME = `wharf-tests-${process.pid}`;
/**
 * Stops the server with SIGTERM when standard input ends, which it does with this process, because buildah
 * passes on no signals.
 */
const KEEPER = '"$@" & read -r _; kill -TERM $!; wait $!';
const name = 'the image of the Dockerfile';
const lacks = await lackOfBuilders();

/** Returns what is missing to build the image: a builder, or the base images, which are not downloaded here. */
async function lackOfBuilders(): Promise<string> {
  if (!Bun.which('buildah')) return 'buildah';
  const text = await Bun.file(join(ROOT, 'Dockerfile')).text();
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base);
  const isHere = (base: string) =>
    Bun.spawnSync(['buildah', 'inspect', '--type=image', base]).success;
  return bases.filter((base) => !isHere(base)).join(', ');
}

async function buildah(...parameters: string[]): Promise<string> {
  const child = Bun.spawn(['buildah', ...parameters], { stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0)
    throw new Error(`buildah ${parameters[0]}:\n${stdout}\n${stderr}`);
  return stdout.trim();
}

describe.skipIf(lacks !== '')(lacks ? `${name} (needs ${lacks})` : name, () => {
  let image: Image;
  let data: string;
  let front: Front;
  let server: Bun.Subprocess<'pipe', 'ignore', 'inherit'> | undefined;
  const run = ['run', '--network=host', '--cap-drop=all'];

  beforeAll(async () => {
    image = await readImage();
    data = await mkdtemp(join(tmpdir(), 'wharf-image-'));
    await Bun.spawn(['chown', `${image.user}:${image.group}`, data]).exited;
    await buildah('build', '--pull=never', '--format=docker', '--tag', NAME, ROOT);
    await buildah('from', '--pull=never', '--name', NAME, NAME);
    // A volume of the image would hide the folder, whose outbox the test reads.
    await buildah('config', '--volume', `${image.volume}-`, NAME);
  });
  afterAll(async () => {
    server?.stdin.end();
    await server?.exited;
    await buildah('rm', NAME).catch(() => {});
    await buildah('rmi', NAME).catch(() => {});
    await rm(data, { recursive: true, force: true });
  });

  test('does the whole job, and is well by its own check', async () => {
    const port = await freePort();
    const settings = [`PORT=${port}`, 'HOST=127.0.0.1', `APP_URL=${APP_URL}`];
    const inside = [
      ...run,
      ...settings.map((one) => `--env=${one}`),
      `--volume=${data}:${image.volume}`,
      NAME,
      '--',
    ];
    const command = ['sh', '-c', KEEPER, 'sh', ...image.entrypoint, ...image.command];
    server = Bun.spawn(['buildah', ...inside, ...command], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    await until(() =>
      buildah(...inside, ...image.healthcheck).then(
        () => true,
        () => false,
      ),
    );
    front = { url: `http://127.0.0.1:${port}`, outbox: [join(data, 'outbox')] };
    const user = await newUser(front);
    await doMainJob(front, user, await createBucket(front, user.token, 'Image'));
    expect(await buildah(...inside, 'id', '--user')).toBe(String(image.user));
    server.stdin.end();
    expect(await server.exited).toBe(0);
  });
});
