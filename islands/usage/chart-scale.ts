/** About so many lines are behind the bars. */
const LINES = 5;
/** Between two lines are so many units, or ten, hundred times as many and so on. */
const STEPS = [1, 2, 2.5, 5, 10];
/** So that a day with little is told from one with nothing, in pixels. */
const MIN_BAR = 1;

/** Returns the values of the lines behind the bars, from 0 to `max`, which no value exceeds; none for zeros alone. */
export function scaleOf(values: number[]): { ticks: number[]; max: number } {
  const highest = Math.max(0, ...values);
  if (highest === 0) return { ticks: [], max: 0 };
  const rough = highest / LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = (STEPS.find((step) => step * power >= rough) ?? 10) * power;
  // Half a request is no value.
  const step = values.every(Number.isInteger) ? Math.ceil(nice) : nice;
  const count = Math.ceil(highest / step - 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
  return { ticks, max: count * step };
}

/** Returns the height of a bar in pixels where `max` takes `full`. */
export const barHeight = (value: number, max: number, full: number): number =>
  value > 0 && max > 0 ? Math.max(MIN_BAR, (value / max) * full) : 0;

/** Returns the days that get a label: at most `maxLabels`, evenly spaced, with the last one among them. */
export function labelledDays(days: string[], maxLabels: number): Set<string> {
  const step = Math.max(1, Math.ceil(days.length / Math.max(1, maxLabels)));
  return new Set(days.filter((_, index) => (days.length - 1 - index) % step === 0));
}
