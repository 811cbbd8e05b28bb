import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Access } from '../../server/contract/wire.ts';
import { mediansOf, takeTurns } from '../measurement.ts';
import { processorTimeOf } from '../processes.ts';
import { type Case, requestsOf, uploadFiles } from './library.ts';
import { startNginx } from './nginx.ts';
import { startServers } from './servers.ts';
import { type Load, runWrk, type WrkRequest } from './wrk.ts';

const SERVER_CORE = 0;
const CLIENT_CORE = 1;

/** The load of a server, and the microseconds of processor time that a request took of all its processes. */
type Delivery = Load & { processorTime: number };
/** What a case gave. `before` is the other program; null without one. */
export type Comparison = Case & {
  bytes: number;
  ours: Delivery;
  peers: Delivery;
  before: Delivery | null;
};
type Server = { url: string; pid: number };
type Side = { server: Server; requests: WrkRequest[] };
type Programs = Record<'nginx' | 'wrk' | 'taskset', string>;

/**
 * Compares delivery by Wharf with a peer, and with another program of Wharf: the same bytes from the same
 * core, with the load from another, measured in turns so that other work on the machine affects all. Figures
 * are medians of all rounds.
 */
export async function compareDelivery(
  programs: Programs,
  cases: Case[],
  other: string | null,
  { rounds, seconds, files }: { rounds: number; seconds: number; files: number },
): Promise<Comparison[]> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  const prefix = [programs.taskset, '-c', String(SERVER_CORE)];
  const nginx = await startNginx(programs, folder, SERVER_CORE);
  const wharf = await startServers({ folder, other, prefix }, (server) =>
    uploadFiles(server, join(folder, 'www'), cases, files),
  );
  const load = { seconds, core: CLIENT_CORE, list: join(folder, 'requests') };
  const measure = (side: Side) => () => measureSide(programs, side, load);
  try {
    const comparisons: Comparison[] = [];
    for (const one of cases) {
      const delivered = wharf.prepared.get(one.size);
      if (!delivered) throw new Error(`There are no files of ${one.size}.`);
      const side = (server: Server, access: Access | 'nginx') => ({
        server,
        requests: requestsOf(delivered, access, one.range),
      });
      const ours = side(wharf.ours, one.access);
      const peers = one.access === 'private' ? side(wharf.ours, 'public') : side(nginx, 'nginx');
      const before = wharf.before && side(wharf.before, one.access);
      await expectSameBytes([ours, peers, ...(before ? [before] : [])]);
      const figures = await takeTurns(rounds, {
        ours: measure(ours),
        peers: measure(peers),
        before: before ? measure(before) : undefined,
      });
      comparisons.push({
        ...one,
        bytes: one.range ?? delivered.bytes,
        ours: mediansOf(figures.ours),
        peers: mediansOf(figures.peers),
        before: before ? mediansOf(figures.before) : null,
      });
    }
    return comparisons;
  } finally {
    await nginx.stop();
    await wharf.stop();
    await rm(folder, { recursive: true });
  }
}

async function measureSide(
  programs: Programs,
  { server, requests }: Side,
  load: { seconds: number; core: number; list: string },
): Promise<Delivery> {
  const used = await processorTimeOf(server.pid);
  const measured = await runWrk(programs, server.url, requests, load);
  const milliseconds = (await processorTimeOf(server.pid)) - used;
  return { ...measured, processorTime: (milliseconds * 1000) / measured.requests };
}

async function expectSameBytes(sides: Side[]) {
  const answers = await Promise.all(
    sides.map(async ({ server, requests: [request] }) => {
      const headers: Record<string, string> = request?.range ? { range: request.range } : {};
      const response = await fetch(`${server.url}${request?.path}`, { headers });
      return `${response.status} ${Bun.hash(await response.arrayBuffer())}`;
    }),
  );
  if (new Set(answers).size > 1) {
    throw new Error(`The servers answer different bytes: ${answers.join(', ')}.`);
  }
}
