import { MAX_OTHER_LOAD } from './measurement.ts';
import type { Options } from './options.ts';

export type Target = { atLeast: number } | { atMost: number };
/** Returns whether a figure meets its target, to be printed after the figure. */
export type Judge = (figure: number, target: Target) => string;
/** The options of each part of the benchmark. */
export type PartOptions = Pick<Options, 'isQuick' | 'minutes' | 'program' | 'scale'> & {
  judge: Judge;
};

export type Tally = { met: number; missed: number; notJudged: number };

/** Returns the judge of one part, which started beside `otherLoad`, and the tally of its verdicts. */
export function startJudging(otherLoad: number) {
  const tally: Tally = { met: 0, missed: 0, notJudged: 0 };
  const judge: Judge = (figure, target) => {
    const [sign, bound, isMet] =
      'atLeast' in target
        ? ['≥', target.atLeast, figure >= target.atLeast]
        : ['≤', target.atMost, figure <= target.atMost];
    const outcome = otherLoad > MAX_OTHER_LOAD ? 'notJudged' : isMet ? 'met' : 'missed';
    tally[outcome] += 1;
    return `target ${sign} ${bound}: ${WORDS[outcome]}`;
  };
  /** Withdraws all verdicts, where other work has started meanwhile. */
  const withdraw = () => {
    tally.notJudged += tally.met + tally.missed;
    tally.met = 0;
    tally.missed = 0;
  };
  return { judge, tally, withdraw };
}

const WORDS = { met: 'met', missed: 'MISSED', notJudged: 'not judged' };

/** Returns the last line of a run. */
export function summaryLine(tallies: Tally[], unfinished: string[]): string {
  const sum = (of: (one: Tally) => number) => tallies.reduce((total, one) => total + of(one), 0);
  const targets = `targets: ${sum((one) => one.met)} met, ${sum((one) => one.missed)} missed, ${sum((one) => one.notJudged)} not judged`;
  return unfinished.length > 0 ? `${targets}; not finished: ${unfinished.join(', ')}` : targets;
}
