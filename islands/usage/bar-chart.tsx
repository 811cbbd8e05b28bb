import { type PointerEvent, useEffect, useId, useRef, useState } from 'react';
import { fullDay, shortDay } from '../../server/contract/dates/format.ts';
import { memoize } from '../../server/contract/memoize.ts';
import { barHeight, labelledDays, scaleOf } from './chart-scale.ts';

const amount = memoize(() => new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 }));

/** Heights in pixels: of the whole, of the room for the tooltip above the bars, and of the days below them. */
const HEIGHT = 500;
const TOP = 44;
const BOTTOM = 28;
const PLOT = HEIGHT - TOP - BOTTOM;
/** The width of a day's label, and the width that is assumed until it is measured, in pixels. */
const LABEL_WIDTH = 64;
const NARROW = 320;

type Point = { date: string; data: number };

type Shown = {
  stats: Point[];
  /** Empty where there is nothing to compare with. */
  previous: Point[];
  unit: string;
  format: (value: number) => string;
};

/**
 * A bar for each day, and the values of the period before as an area behind them. Lengths along the days are in
 * per cent, so that the server can draw it. Users who can't see the chart find the values in a table.
 */
export function BarChart({
  label,
  today,
  ...shown
}: Shown & {
  label: string;
  today: string;
}) {
  const { stats, previous } = shown;
  const plot = useRef<HTMLDivElement>(null);
  const width = useWidth(plot);
  const [at, setAt] = useState<number | null>(null);
  const scale = scaleOf([...stats, ...previous].map(({ data }) => data));
  const hasData = scale.max > 0;
  const point = (event: PointerEvent<HTMLDivElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / width) * stats.length);
    setAt(Math.min(Math.max(index, 0), stats.length - 1));
  };
  return (
    <div className="relative flex h-[500px] overflow-hidden text-xs" role="img" aria-label={label}>
      {hasData && <Axis ticks={scale.ticks} max={scale.max} />}
      <div
        ref={plot}
        className="min-w-0 grow"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setAt(null)}
      >
        <svg width="100%" height={HEIGHT} aria-hidden className="block">
          {hasData && <Grid ticks={scale.ticks} max={scale.max} />}
          {at !== null && hasData && (
            <rect
              {...slotOf(at, stats.length)}
              y={TOP}
              height={PLOT}
              className="fill-base-300/40"
            />
          )}
          <Before values={previous} days={stats.length} max={scale.max} />
          <Bars stats={stats} max={scale.max} today={today} isNarrow={previous.length > 0} />
          <line x2="100%" y1={TOP + PLOT} y2={TOP + PLOT} className="stroke-base-300" />
          <Days days={stats.map(({ date }) => date)} width={width ?? NARROW} />
        </svg>
      </div>
      {at !== null && hasData && <Tip point={stats[at]} before={previous[at]} {...shown} />}
    </div>
  );
}

/** Returns the width of an element in pixels; null until it is measured. */
function useWidth(element: { current: HTMLElement | null }): number | null {
  const [width, setWidth] = useState<number | null>(null);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? null));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

type Scaled = { ticks: number[]; max: number };

const yOf = (value: number, max: number) => TOP + PLOT - (value / max) * PLOT;
const percent = (share: number) => `${(100 * share).toFixed(4)}%`;
/** Returns the place of a day among `count` days. */
const slotOf = (at: number, count: number) => ({
  x: percent(at / count),
  width: percent(1 / count),
});

/** The values of the lines. Their widest one makes the column as wide as it is. */
function Axis({ ticks, max }: Scaled) {
  const widest = Math.max(...ticks.map((tick) => amount().format(tick).length));
  const width = 12 + widest * 7;
  return (
    <svg width={width} height={HEIGHT} aria-hidden className="numbers block shrink-0">
      {ticks.map((tick) => (
        <text
          key={tick}
          x={width - 10}
          y={yOf(tick, max) + 4}
          textAnchor="end"
          className="fill-quiet"
        >
          {amount().format(tick)}
        </text>
      ))}
    </svg>
  );
}

const Grid = ({ ticks, max }: Scaled) =>
  ticks.map((tick) => (
    <line
      key={tick}
      x2="100%"
      y1={yOf(tick, max)}
      y2={yOf(tick, max)}
      className="stroke-base-300"
      strokeWidth={tick === 0 ? 0 : 1}
    />
  ));

/** The period before, day by day. */
function Before({ values, days, max }: { values: Point[]; days: number; max: number }) {
  const steps = values.slice(0, days).map(({ data }) => barHeight(data, max, PLOT));
  if (steps.length === 0) return null;
  const line = steps.map((height) => `V${(PLOT - height).toFixed(1)}h1`).join('');
  return (
    <svg
      y={TOP}
      width="100%"
      height={PLOT}
      viewBox={`0 0 ${days} ${PLOT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path d={`M0 ${PLOT}${line}V${PLOT}z`} className="fill-quiet/25" />
    </svg>
  );
}

/** The bars. That of today is hatched, because the day isn't over. */
function Bars({
  stats,
  max,
  today,
  isNarrow,
}: {
  stats: Point[];
  max: number;
  today: string;
  isNarrow: boolean;
}) {
  const hatching = useId();
  const slot = 1 / stats.length;
  const share = Math.min(isNarrow ? 0.56 : 0.72, 0.08 + stats.length * 0.06);
  return (
    <svg y={TOP} width="100%" height={PLOT} aria-hidden>
      <pattern
        id={hatching}
        width={6}
        height={6}
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width={6} height={6} className="fill-primary/25" />
        <rect width={2.5} height={6} className="fill-primary" />
      </pattern>
      {stats.map(({ date, data }, at) => {
        const height = barHeight(data, max, PLOT);
        return height === 0 ? null : (
          <rect
            key={date}
            data-bar={date}
            x={percent((at + (1 - share) / 2) * slot)}
            y={PLOT - height}
            width={percent(share * slot)}
            // The lower corners are below the axis, where they are cut off.
            height={height + RADIUS}
            rx={RADIUS}
            {...(date === today ? { fill: `url(#${hatching})` } : { className: 'fill-primary' })}
          />
        );
      })}
    </svg>
  );
}

const RADIUS = 2;

/** With more days, a label is wider than the slot of its day. */
const MAX_WIDE_DAYS = 8;

/** The labels of as many days as have room. */
function Days({ days, width }: { days: string[]; width: number }) {
  const labelled = labelledDays(days, Math.floor(width / LABEL_WIDTH));
  const isNarrow = days.length > MAX_WIDE_DAYS;
  return days.map((day, at) => {
    if (!labelled.has(day)) return null;
    // In the middle of a narrow slot, the labels of the first and the last day would be cut off.
    const isFirst = isNarrow && at === 0;
    const isLast = isNarrow && at === days.length - 1;
    return (
      <text
        key={day}
        x={percent((at + (isFirst ? 0 : 0.5)) / days.length)}
        y={HEIGHT - 8}
        textAnchor={isFirst ? 'start' : isLast ? 'end' : 'middle'}
        className="numbers fill-quiet"
      >
        {shortDay(day)}
      </text>
    );
  });
}

/** The values of a day, in the room above the bars. */
function Tip({
  point,
  before,
  format,
  unit,
}: Shown & { point: Point | undefined; before: Point | undefined }) {
  if (!point) return null;
  return (
    <div className="chart-tip">
      <span>{fullDay(point.date)}</span>
      <strong>
        {format(point.data)} {unit}
      </strong>
      {before && (
        <>
          <span>{fullDay(before.date)}</span>
          <em>
            {format(before.data)} {unit}
          </em>
        </>
      )}
    </div>
  );
}
