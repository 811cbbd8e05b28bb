import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '../../tests/support/server/server-process.ts';
import { median, takeTurns } from '../measurement.ts';
import { type Case, requestsOf, uploadFiles } from './library.ts';
import { startNginx } from './nginx.ts';
import { type Load, runWrk, type WrkRequest } from './wrk.ts';

const SERVER_CORE = 0;
const CLIENT_CORE = 1;

export type Comparison = Case & { bytes: number; ours: Load; peers: Load };
type Peer = { origin: string; requests: WrkRequest[] };
type Programs = Record<'nginx' | 'wrk' | 'taskset', string>;

/**
 * Compares delivery by Wharf with a peer: the same bytes from the same core, with the load from another,
 * measured in turns so that other work on the machine affects both. Figures are medians of all rounds.
 */
export async function compareDelivery(
  programs: Programs,
  cases: Case[],
  { rounds, seconds, files }: { rounds: number; seconds: number; files: number },
): Promise<Comparison[]> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  const www = join(folder, 'www');
  const server = await startServerProcess({
    prefix: [programs.taskset, '-c', String(SERVER_CORE)],
  });
  const nginx = await startNginx(programs, folder, SERVER_CORE);
  const load = { seconds, core: CLIENT_CORE, list: join(folder, 'requests') };
  try {
    const filesBySize = await uploadFiles(server, www, cases, files);
    const comparisons: Comparison[] = [];
    for (const one of cases) {
      const delivered = filesBySize.get(one.size);
      if (!delivered) throw new Error(`There are no files of ${one.size}.`);
      const isPrivate = one.access === 'private';
      const ours = { origin: server.url, requests: requestsOf(delivered, one.access, one.range) };
      const peer = isPrivate
        ? { origin: server.url, requests: requestsOf(delivered, 'public', one.range) }
        : { origin: nginx.url, requests: requestsOf(delivered, 'nginx', one.range) };
      await expectSameBytes(ours, peer);
      const loads = await takeTurns(rounds, {
        ours: () => runWrk(programs, ours.origin, ours.requests, load),
        peers: () => runWrk(programs, peer.origin, peer.requests, load),
      });
      const middles = { ours: middle(loads.ours), peers: middle(loads.peers) };
      comparisons.push({ ...one, ...middles, bytes: one.range ?? delivered.bytes });
    }
    return comparisons;
  } finally {
    await nginx.stop();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

async function expectSameBytes(...peers: Peer[]) {
  const [a, b] = await Promise.all(
    peers.map(async ({ origin, requests: [request] }) => {
      const headers: Record<string, string> = request?.range ? { range: request.range } : {};
      const response = await fetch(`${origin}${request?.path}`, { headers });
      return `${response.status} ${Bun.hash(await response.arrayBuffer())}`;
    }),
  );
  if (a !== b) throw new Error(`The peers answer different bytes: ${a}, ${b}.`);
}

const middle = (loads: Load[]): Load => ({
  requestsPerSecond: median(loads.map((one) => one.requestsPerSecond)),
  p99: median(loads.map((one) => one.p99)),
});
