import { expect, test } from 'bun:test';
import { until } from '../../tests/support/client/wait.ts';
import { healthRoutes } from './health.ts';

function health(
  storage: () => Promise<void>,
  timeoutMs?: number,
  confinement: Parameters<typeof healthRoutes>[0]['confinement'] = async () => ({
    images: {},
    videos: {},
  }),
  requireFolding: () => Promise<void> = async () => {},
) {
  const routes = healthRoutes(
    {
      version: '1',
      role: 'all',
      database: { check: async () => {} },
      objects: { check: storage },
      holdsFiles: async () => true,
      tools: () => ({ ffmpeg: '', ffprobe: '' }),
      confinement,
      mailFailure: async () => null,
      usage: { requireFolding },
    },
    timeoutMs,
  );
  return () => routes.handle(new Request('http://localhost/health'));
}

test('however many ask at once, the storage is looked at once', async () => {
  let looks = 0;
  const getHealth = health(async () => {
    looks += 1;
    await Bun.sleep(20);
  });
  const responses = await Promise.all(Array.from({ length: 50 }, getHealth));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  await getHealth();
  expect(looks).toBe(1);
});

test('what has changed is seen a second later', async () => {
  let isAvailable = false;
  const getHealth = health(async () => {
    if (!isAvailable) throw new Error('away');
  });
  expect((await getHealth()).status).toBe(503);
  isAvailable = true;
  await until(async () => (await getHealth()).status === 200);
});

test('usage that is no longer added up is failing, and the server is not', async () => {
  const response = await health(
    async () => {},
    undefined,
    undefined,
    async () => {
      throw new Error('usage is not folded');
    },
  )();
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ status: 'ok', usage: 'failing' });
});

test('a storage that never answers is failing, and those who ask do not pile up', async () => {
  let looks = 0;
  const getHealth = health(() => {
    looks += 1;
    return new Promise<void>(() => {});
  }, 50);
  const responses = await Promise.all(Array.from({ length: 20 }, getHealth));
  expect(responses.every(({ status }) => status === 503)).toBe(true);
  expect(looks).toBe(1);
});

test('an answer does not wait for the trial of the protections, and a later one has its result', async () => {
  type Protections = Record<'images' | 'videos', Record<string, boolean>>;
  const trials: PromiseWithResolvers<Protections>[] = [];
  const getHealth = health(
    async () => {},
    undefined,
    () => {
      const trial = Promise.withResolvers<Protections>();
      trials.push(trial);
      return trial.promise;
    },
  );
  const confinement = async () => (await (await getHealth()).json()).confinement;
  expect([await confinement(), await confinement()]).toEqual([null, null]);
  expect(trials).toHaveLength(1);
  const found = { images: { limits: true }, videos: {} };
  trials[0]?.resolve(found);
  expect(await confinement()).toEqual(found);
  expect(trials).toHaveLength(2);
  trials[1]?.reject(new Error('too busy'));
  expect(await confinement()).toEqual(found);
});
