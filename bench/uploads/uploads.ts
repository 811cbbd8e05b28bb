import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GIB, VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';
import { makeClip } from '../../tests/support/fixtures/make-media.ts';
import { freePort } from '../../tests/support/server/free-port.ts';
import { startServerProcess } from '../../tests/support/server/server-process.ts';
import { startNginx } from '../delivery/nginx.ts';
import { createBenchBucket } from '../fixtures.ts';
import { median, takeTurns } from '../measurement.ts';
import { findPrograms, startPeer } from '../programs.ts';
import type { Judge, PartOptions } from '../targets.ts';

const PARTS = 60;

type Race = { ours: number; peer: number; bytes: number };

/**
 * Prints how fast uploads are received, compared with nginx and with the tus server that Wharf's is based
 * on.
 */
export async function reportUploads({ isQuick, judge }: PartOptions): Promise<void> {
  const rounds = isQuick ? 3 : 7;
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  const server = await startServerProcess({ env: { LOG_LEVEL: 'error' } });
  try {
    const { bucket } = await createBenchBucket(server);
    const target = { endpoint: `${server.url}/files/tus/${bucket.id}`, key: bucket.api_key };
    const source = await makeSource(folder);
    console.log(`uploads, medians of ${rounds} rounds in turns`);
    const patch = await racePatch(target, folder, source, rounds);
    line('one PATCH of 1 GiB', 'nginx DAV, then fsync', patch, judge);
    const parts = await raceParts(target, folder, source, rounds);
    line('parts of 9 MiB', '@tus/file-store, no fsync', parts, judge);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

type Target = { endpoint: string; key: string };

/**
 * Compares a single request by curl. What nginx has received is synced afterwards; Wharf syncs before it
 * responds.
 */
async function racePatch(target: Target, folder: string, source: string, rounds: number) {
  const programs = findPrograms(['nginx', 'curl', 'taskset']);
  await mkdir(join(folder, 'www/upload'), { recursive: true });
  const nginx = await startNginx(programs, folder, null);
  const send = async (...args: string[]) => {
    const quiet = ['-sS', '-f', '-H', 'Expect:', '-T', source, '-o', '/dev/null'];
    await run([programs.curl, ...quiet, ...args]);
  };
  let round = 0;
  try {
    return await race(rounds, GIB, {
      async ours() {
        const url = await beginUpload(target, GIB + 1);
        return timed(() =>
          send(
            ...['-X', 'PATCH', '-H', 'tus-resumable: 1.0.0', '-H', 'upload-offset: 0'],
            ...['-H', 'content-type: application/offset+octet-stream'],
            ...['-H', `x-api-key: ${target.key}`, url],
          ),
        );
      },
      async peer() {
        round += 1;
        const path = join(folder, 'www/upload', String(round));
        const seconds = await timed(async () => {
          await send(`${nginx.url}/upload/${round}`);
          await sync(path);
          await sync(join(folder, 'www/upload'));
        });
        await rm(path);
        return seconds;
      },
    });
  } finally {
    await nginx.stop();
  }
}

async function raceParts(target: Target, folder: string, source: string, rounds: number) {
  const port = await freePort();
  const files = join(folder, 'tus');
  await mkdir(files);
  const script = (name: string) => [process.execPath, join(import.meta.dir, name)];
  const origin = `http://127.0.0.1:${port}`;
  const peer = await startPeer(origin, [...script('tus-peer.ts'), files, String(port)]);
  const send = async ({ endpoint, key }: Target) =>
    Number(
      await run([
        ...script('tus-parts.ts'),
        endpoint,
        key,
        source,
        String(VIDEO_CHUNK_BYTES),
        String(PARTS),
      ]),
    );
  const other = { endpoint: `${origin}/files`, key: '' };
  try {
    return await race(rounds, PARTS * VIDEO_CHUNK_BYTES, {
      ours: () => send(target),
      peer: () => send(other),
    });
  } finally {
    await peer.stop();
  }
}

async function race(
  rounds: number,
  bytes: number,
  peers: Record<'ours' | 'peer', () => Promise<number>>,
): Promise<Race> {
  // Otherwise what one side left in the page cache would be written at the other's expense.
  const thenSynced = async (send: () => Promise<number>) => {
    const seconds = await send();
    await run(['sync']);
    return seconds;
  };
  const times = await takeTurns(rounds, {
    ours: () => thenSynced(peers.ours),
    peer: () => thenSynced(peers.peer),
  });
  return { ours: median(times.ours), peer: median(times.peer), bytes };
}

/** Creates an upload that stays unfinished, because its last byte is never sent. */
async function beginUpload({ endpoint, key }: Target, length: number): Promise<string> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'tus-resumable': '1.0.0', 'x-api-key': key, 'upload-length': String(length) },
  });
  return response.headers.get('location') ?? '';
}

/** Makes a file of 1 GiB that starts like a video, so that it is accepted. */
async function makeSource(folder: string): Promise<string> {
  const path = join(folder, 'source.mp4');
  await makeClip(path, { seconds: 1 });
  const file = await open(path, 'a');
  const block = crypto.getRandomValues(new Uint8Array(65_536));
  for (let size = (await file.stat()).size; size < GIB; size += block.length) {
    await file.write(block.subarray(0, Math.min(block.length, GIB - size)));
  }
  await file.sync();
  await file.close();
  return path;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  await file.sync();
  await file.close();
}

async function run(command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed.`);
  return text;
}

function line(what: string, against: string, { ours, peer, bytes }: Race, judge: Judge): void {
  const rate = (seconds: number) => `${(bytes / seconds / 2 ** 20).toFixed(0)} MiB/s`;
  const ratio = peer / ours;
  const judgement = `ratio ${ratio.toFixed(2)}, ${judge(ratio, { atLeast: 0.8 })}`;
  console.log(`  ${what.padEnd(20)}${rate(ours)}; ${against}: ${rate(peer)}; ${judgement}`);
}
