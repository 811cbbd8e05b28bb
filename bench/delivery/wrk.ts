import { join } from 'node:path';

export type Load = {
  requests: number;
  requestsPerSecond: number /** Milliseconds. */;
  p99: number;
};

const UNITS: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** A request: a path, perhaps with a query, and the Range header where there is one. */
export type WrkRequest = { path: string; range?: string };

const [GETS, PUTS] = ['requests.lua', 'puts.lua'].map((name) => join(import.meta.dir, name));

/**
 * Loads a server from one core with 64 connections, each of which requests any of `requests` again and again, or sends
 * a body to them one after the other. Throws when a response was not 2xx or 3xx, or a connection failed.
 * @param load.list the file into which the requests are written
 * @param load.body the file with the body; undefined to request them
 */
export async function runWrk(
  programs: { wrk: string; taskset: string },
  origin: string,
  requests: WrkRequest[],
  { seconds, core, list, body }: { seconds: number; core: number; list: string; body?: string },
): Promise<Load> {
  await Bun.write(list, requests.map(({ path, range = '' }) => `${path}\t${range}\n`).join(''));
  const script = (body === undefined ? GETS : PUTS) ?? '';
  const load = ['-t1', '-c64', `-d${seconds}s`, '--timeout', '10s', '--latency', '-s', script];
  const command = [programs.wrk, ...load, origin, '--', list, ...(body ? [body] : [])];
  const child = Bun.spawn([programs.taskset, '-c', String(core), ...command], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const report = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`wrk failed:\n${report}`);
  return parseReport(report);
}

/** Parses what wrk prints with `--latency`. */
export function parseReport(report: string): Load {
  const trouble = /Non-2xx or 3xx responses: .*|Socket errors: .*/.exec(report);
  if (trouble) throw new Error(`wrk: ${trouble[0]}`);
  const requests = /^\s*(\d+) requests in /m.exec(report)?.[1];
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(report)?.[1];
  const [, p99, unit = ''] = /99%\s+([\d.]+)(us|ms|s|m)\b/.exec(report) ?? [];
  const scale = UNITS[unit];
  if (!requests || !rate || !p99 || !scale) throw new Error(`wrk said something else:\n${report}`);
  return { requests: Number(requests), requestsPerSecond: Number(rate), p99: Number(p99) * scale };
}
