import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { acquireThread, releaseThread } from './thread-pool.ts';

/** Runs a program that has a thread. Returns its exit code and what it printed. */
async function run(program: string): Promise<[number, string]> {
  const pool = join(import.meta.dir, 'thread-pool.ts');
  const text = `import { acquireThread } from ${JSON.stringify(pool)};\nconst thread = acquireThread();\n${program}`;
  const child = Bun.spawn([process.execPath, '-e', text], { stdout: 'pipe', stderr: 'ignore' });
  const output = await new Response(child.stdout).text();
  return [await child.exited, output.trim()];
}

test('an idle thread does not keep the process running', async () => {
  expect(await run(`await thread.request({ type: 'close' }); console.log('done');`)).toEqual([
    0,
    'done',
  ]);
});

test('a thread that crashes rejects what waits and ends the process', async () => {
  const crash = `const waiting = [thread.request(null), thread.request({ type: 'close' })];
    console.log((await Promise.allSettled(waiting)).map(({ status }) => status).join());
    setInterval(() => {}, 1000);`;
  const [code, output] = await run(crash);
  expect(output).toBe('rejected,rejected');
  expect(code).not.toBe(0);
});

test('a thread whose database was closed serves the next one', () => {
  const thread = acquireThread();
  releaseThread(thread);
  expect(acquireThread()).toBe(thread);
  releaseThread(thread);
});
