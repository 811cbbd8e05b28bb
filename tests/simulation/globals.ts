import type { World } from './world.ts';

type Patch = { target: object; name: string; value: unknown };

/**
 * Replaces time and randomness of this process by those of a world, so that code which sleeps, waits or
 * makes ids does the same for the same seed. Returns the function that restores them.
 */
export function replaceGlobals(world: World): () => void {
  const startedAt = world.now;
  const start =
    (isInterval: boolean) =>
    (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) => {
      const timer = world.addTimer(() => run(...values), ms, isInterval);
      const handle = { timer, ref: () => handle, unref: () => handle, hasRef: () => true };
      return handle;
    };
  const clear = (handle: { timer?: ReturnType<World['addTimer']> } | undefined) => {
    if (handle?.timer) world.removeTimer(handle.timer);
  };
  const fill = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = world.below(256);
    return bytes;
  };
  const patches: Patch[] = [
    { target: globalThis, name: 'setTimeout', value: start(false) },
    { target: globalThis, name: 'setInterval', value: start(true) },
    { target: globalThis, name: 'clearTimeout', value: clear },
    { target: globalThis, name: 'clearInterval', value: clear },
    {
      target: Bun,
      name: 'sleep',
      value: (ms: number) => new Promise<void>((resolve) => world.addTimer(resolve, ms, false)),
    },
    {
      target: AbortSignal,
      name: 'timeout',
      value: (ms: number) => {
        const aborter = new AbortController();
        world.addTimer(() => aborter.abort(new Error('the time is over')), ms, false);
        return aborter.signal;
      },
    },
    { target: Date, name: 'now', value: () => world.now },
    { target: performance, name: 'now', value: () => world.now - startedAt },
    { target: Math, name: 'random', value: () => world.random() },
    { target: crypto, name: 'getRandomValues', value: fill },
    {
      target: crypto,
      name: 'randomUUID',
      value: () => Buffer.from(fill(new Uint8Array(16))).toString('hex'),
    },
  ];
  const restores = patches.map(replace);
  return () => {
    for (const restore of restores) restore();
  };
}

function replace({ target, name, value }: Patch): () => void {
  const isOwn = Object.hasOwn(target, name);
  const before: unknown = Reflect.get(target, name);
  Reflect.set(target, name, value);
  return () => {
    if (isOwn) Reflect.set(target, name, before);
    else Reflect.deleteProperty(target, name);
  };
}
