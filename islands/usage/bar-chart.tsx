import { type ComponentType, useEffect, useRef, useState } from 'react';
import type { Props as ChartProps } from 'react-apexcharts';
import { CHART_HEIGHT, optionsOf, seriesOf, useTheme } from './chart-options.ts';

type Chart = ComponentType<ChartProps>;

/**
 * Bars by the day. The library needs a window and comes after the page, so its place is kept; the
 * same values stand in a table for who can't see them.
 */
export function BarChart({
  stats,
  unit,
  label,
  today,
}: {
  stats: { date: string; data: number }[];
  unit: string;
  label: string;
  today: string;
}) {
  const [Chart, setChart] = useState<Chart | null>(null);
  const [width, setWidth] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme();

  useEffect(() => {
    void import('react-apexcharts').then((module) => {
      const inner: unknown = module.default;
      // CommonJS inside of a module inside of a bundle.
      const component = (inner as { default?: Chart }).default ?? (inner as Chart);
      setChart(() => component);
    });
  }, []);

  useEffect(() => {
    if (!place.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);

  return (
    <div ref={place} className="h-[500px] overflow-hidden" role="img" aria-label={label}>
      {Chart && width > 0 && (
        <Chart
          key={theme}
          type="bar"
          height={CHART_HEIGHT}
          width="100%"
          series={seriesOf(stats, today)}
          options={optionsOf(stats, unit, theme, width)}
        />
      )}
    </div>
  );
}
