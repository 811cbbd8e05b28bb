import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GIB, KIB, MIB } from '../../server/contract/limits.ts';
import { median, takeTurns } from '../measurement.ts';
import { peakMemory } from '../processes.ts';
import { findPrograms } from '../programs.ts';
import type { Judge, PartOptions } from '../targets.ts';
import {
  type Load,
  measureGets,
  measureMultipart,
  measurePages,
  measurePuts,
  storeObjects,
} from './operations.ts';
import { type Side, type Sides, startOurs, startPeer } from './sides.ts';

const MAX_ADDED_MEMORY_MIB = 150;
const [SMALL, LARGE] = [4 * KIB, 10 * MIB];

type Effort = { rounds: number; seconds: number; small: number; large: number; multipart: number };

/** Prints the S3 API beside Ceph's, which has its objects in memory and syncs nothing. */
export async function reportS3({ isQuick, scale, judge }: PartOptions): Promise<void> {
  const programs = findPrograms(['wrk', 'taskset']);
  const objects = scale.files ?? (isQuick ? 5000 : 1_000_000);
  const effort: Effort = isQuick
    ? { rounds: 3, seconds: 2, small: 200, large: 2, multipart: 64 * MIB }
    : { rounds: 5, seconds: 5, small: 2000, large: 20, multipart: GIB };
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  const rgw = await startPeer(objects);
  const ours = await startOurs(objects);
  try {
    const body = join(folder, 'body');
    const bytes = crypto.getRandomValues(new Uint8Array(SMALL));
    await Bun.write(body, bytes);
    const load = { programs, seconds: effort.seconds, list: join(folder, 'requests'), body };
    console.log(
      `S3 beside Ceph's gateway, medians of ${effort.rounds} rounds in turns, ${objects} listed objects`,
    );
    await compare({ ours, rgw }, load, { ...effort, bytes, objects }, judge);
    const added = (await peakMemory(ours.server.pid())) - ours.idle;
    const verdict = judge(added, { atMost: MAX_ADDED_MEMORY_MIB });
    console.log(`  memory above idle up to ${added.toFixed(0)} MiB, ${verdict}`);
  } finally {
    for (const { client } of [ours, rgw]) client.destroy();
    await ours.server.stop();
    await rm(folder, { recursive: true });
  }
}

async function compare(
  sides: Sides,
  load: Load,
  {
    rounds,
    small,
    large,
    multipart,
    bytes,
    objects,
  }: Effort & { bytes: Uint8Array<ArrayBuffer>; objects: number },
  judge: Judge,
): Promise<void> {
  const race = async (measure: (side: Side, round: number) => Promise<number>) => {
    const figures = await takeTurns(rounds, {
      ours: (round) => measure(sides.ours, round),
      rgw: (round) => measure(sides.rgw, round),
    });
    return { ours: median(figures.ours), rgw: median(figures.rgw) };
  };
  const print = (
    what: string,
    { ours, rgw }: { ours: number; rgw: number },
    { unit, ratio, atLeast }: { unit: string; ratio: number; atLeast: number },
  ) =>
    console.log(
      `  ${what.padEnd(22)}${ours.toFixed(1)} ${unit}; Ceph ${rgw.toFixed(1)} ${unit}; ratio ${ratio.toFixed(2)}, ${judge(ratio, { atLeast })}`,
    );
  const rates = async (what: string, atLeast: number, measure: Parameters<typeof race>[0]) => {
    const figures = await race(measure);
    print(what, figures, { unit: '/s', ratio: figures.ours / figures.rgw, atLeast });
  };
  const times = async (what: string, unit: string, measure: Parameters<typeof race>[0]) => {
    const figures = await race(measure);
    print(what, figures, { unit, ratio: figures.rgw / figures.ours, atLeast: 1 });
  };
  const stored = async (name: string, count: number, content: Uint8Array<ArrayBuffer>) => {
    const paths = new Map<Side, string[]>();
    for (const side of [sides.ours, sides.rgw])
      paths.set(side, await storeObjects(side, name, count, content));
    return (side: Side) => paths.get(side) ?? [];
  };

  await rates('PUT of 4 KiB', 2, (side, round) => measurePuts(side, load, `put-${round}`));
  const smallOf = await stored('small', small, bytes);
  await rates('GET of 4 KiB', 2, (side) => measureGets(side, load, smallOf(side)));
  const largeOf = await stored('large', large, new Uint8Array(LARGE).fill(1));
  await rates('GET of 10 MiB', 1, (side) => measureGets(side, load, largeOf(side)));
  const name = `multipart of ${multipart / MIB} MiB`;
  await times(name, 's', (side) => measureMultipart(side, multipart));
  await times('page of 1,000 keys', 'ms', (side) => measurePages(side, objects));
}
