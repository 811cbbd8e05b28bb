import type { Judge } from '../targets.ts';
import type { Figures, PhaseName } from './measure-program.ts';
import type { Watched } from './watch.ts';

const MAX_FIRST_ANSWER_MS = 2000;
const MAX_STALL_MS = 50;
const MAX_P99_OVER_QUIET_MS = 25;
const MAX_LIST_MS = 20;
const MAX_DELETION_S = 1800;
/** Of what is uploaded a second to the images of the other program. */
const MIN_IMAGE_RATIO = 1.5;
const MIN_FILE_RATIO = { sqlite: 3, postgres: 2 };

/** Prints what a phase did to the server. */
export function printPhase(name: PhaseName, watched: Watched): void {
  const { seconds, stall, p50, p99, max, failed, memory } = watched;
  const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(11);
  console.log(
    `${name.padEnd(16)}${seconds.toFixed(1).padStart(7)} s  stall${ms(stall)}  GET p50${ms(p50)}  p99${ms(p99)}  max${ms(max)}${failed > 0 ? `, ${failed} failed` : ''}  ${memory.toFixed(0)} MiB`,
  );
}

type Figure = {
  name: string;
  unit: string;
  of: (figures: Figures) => number;
  /** The most that the figure may be. */
  most?: number;
};

/**
 * Prints the figures of this version, the last ones, with those of the program that it is compared with, and
 * whether they meet their targets.
 */
export function reportFigures(
  all: Figures[],
  judge: Judge,
  engine: keyof typeof MIN_FILE_RATIO,
): void {
  const own = all.at(-1);
  if (!own) return;
  const other = all.length > 1 ? all[0] : undefined;
  console.log(`\n${''.padEnd(34)}${other ? 'before'.padStart(12) : ''}${'now'.padStart(12)}`);
  const print = (name: string, of: Figure['of'], unit: string, verdict: string) => {
    const cells = [other, own].flatMap((one) => (one ? [cellOf(of(one))] : []));
    console.log(`${name.padEnd(34)}${cells.join('')} ${unit.padEnd(4)}${verdict}`);
  };
  for (const { name, unit, of, most } of figuresOf(own)) {
    print(name, of, unit, most === undefined ? '' : judge(of(own), { atMost: most }));
  }
  const printUploads = (kind: string, of: Figure['of'], atLeast: number) => {
    const ratio = other ? of(own) / other.imagesPerSecond : null;
    const verdict = ratio === null ? '' : `ratio ${ratio.toFixed(2)}, ${judge(ratio, { atLeast })}`;
    print(`uploads of 10 KiB ${kind}`, of, '/s', verdict);
  };
  printUploads('images', (one) => one.imagesPerSecond, MIN_IMAGE_RATIO);
  printUploads('files', (one) => one.filesPerSecond, MIN_FILE_RATIO[engine]);
  for (const { unfinished } of all) {
    if (unfinished.length > 0) console.log(`did not end in time: ${unfinished.join(', ')}`);
  }
}

/** A program that lacks what is measured has no figure. */
const cellOf = (figure: number) => (Number.isNaN(figure) ? '-' : figure.toFixed(1)).padStart(12);

function figuresOf(own: Figures): Figure[] {
  const names = [...own.phases.keys()];
  const inPhase = (name: PhaseName, figure: keyof Watched) => (one: Figures) =>
    one.phases.get(name)?.[figure] ?? Number.NaN;
  const overQuiet = (name: PhaseName) => (one: Figures) =>
    inPhase(name, 'p99')(one) - inPhase('quiet', 'p99')(one);
  const memory = (one: Figures) => Math.max(...one.phases.values().map((phase) => phase.memory));
  const first = { unit: 'ms', most: MAX_FIRST_ANSWER_MS };
  return [
    { name: 'first answer', of: (one) => one.firstAnswer, ...first },
    { name: 'first answer, charges due', of: (one) => one.firstAnswerCharges, ...first },
    { name: 'first answer, a day due', of: (one) => one.firstAnswerDay, ...first },
    ...names.map((name) => ({
      name: `stall, ${name}`,
      unit: 'ms',
      of: inPhase(name, 'stall'),
      most: MAX_STALL_MS,
    })),
    ...names.slice(1).map((name) => ({
      name: `p99 over quiet, ${name}`,
      unit: 'ms',
      of: overQuiet(name),
      most: MAX_P99_OVER_QUIET_MS,
    })),
    { name: 'filtered list, median', unit: 'ms', of: (one) => one.lists.median, most: MAX_LIST_MS },
    { name: 'filtered list, slowest', unit: 'ms', of: (one) => one.lists.slowest },
    { name: 'admin search, median', unit: 'ms', of: (one) => one.searches.median },
    { name: 'admin search, slowest', unit: 'ms', of: (one) => one.searches.slowest },
    { name: 'charging', unit: 's', of: inPhase('charging', 'seconds') },
    { name: 'daily roll-up', unit: 's', of: inPhase('daily roll-up', 'seconds') },
    { name: 'answer to the deletion', unit: 'ms', of: (one) => one.deletionAnswer },
    {
      name: 'deletion',
      unit: 's',
      of: inPhase('bucket deletion', 'seconds'),
      most: MAX_DELETION_S,
    },
    { name: 'deletion of the objects', unit: 's', of: inPhase('object deletion', 'seconds') },
    { name: 'most memory', unit: 'MiB', of: memory },
  ];
}
