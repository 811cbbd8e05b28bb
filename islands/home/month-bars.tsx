import type { MonthSeries } from '../../server/contract/home/summary.ts';

const HEIGHT = 32;
/** The width of a day, and the share of it that its bar takes, in units of the drawing. */
const DAY_WIDTH = 10;
const BAR_WIDTH = 7;
/** So that a day with little is told from one with nothing. */
const MIN_BAR = 1;

/** Bars for the days of this month, and behind them those of the month before. The figures beside them say it in words. */
export function MonthBars({ series: { days, before } }: { series: MonthSeries }) {
  const highest = Math.max(...days, ...before);
  if (highest === 0) return null;
  const width = Math.max(days.length, before.length) * DAY_WIDTH;
  const heightOf = (value: number) =>
    value > 0 ? Math.max(MIN_BAR, (value / highest) * HEIGHT) : 0;
  const bars = (values: number[], className: string) => (
    <path
      className={className}
      d={values
        .map((value, index) => ({ x: index * DAY_WIDTH, height: heightOf(value) }))
        .filter(({ height }) => height > 0)
        .map(({ x, height }) => `M${x} ${HEIGHT}v${-height.toFixed(1)}h${BAR_WIDTH}V${HEIGHT}z`)
        .join('')}
    />
  );
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="mt-auto box-content block h-8 w-full shrink-0 pt-3 border-b border-base-300"
    >
      {bars(before, 'fill-base-300')}
      {bars(days, 'fill-primary')}
    </svg>
  );
}
