import type { Instance } from 'flatpickr/dist/types/instance';
import CalendarDays from 'lucide-react/icons/calendar-days';
import X from 'lucide-react/icons/x';
import { useEffect, useRef } from 'react';
import {
  type DayRange,
  datesOf,
  firstMonthOf,
  formatRange,
  inViewersZone,
  rangeOf,
  SEPARATOR,
} from './day-range.ts';

/** A narrower screen has room for one month only. */
const TWO_MONTHS = '(min-width: 660px)';

/**
 * Picks a range of calendar days, shown as dd/MM/yyyy, from two months side by side. Picking one day
 * alone or twice makes a range of one day. `onValue` gets null when the range is cleared.
 * @param isLocal whether the days are those of the viewer's time zone, as in lists, or UTC, as in charts
 */
export function DateRange({
  label = 'Search between dates',
  value,
  onValue,
  isLocal = false,
  className = '',
}: {
  label?: string;
  value: DayRange | null;
  onValue: (value: DayRange | null) => void;
  isLocal?: boolean;
  className?: string;
}) {
  const input = useRef<HTMLInputElement>(null);
  const calendar = useRef<Instance>(null);
  const latest = useRef({ value, onValue, isLocal });
  latest.current = { value, onValue, isLocal };

  useEffect(() => {
    let isUnmounted = false;
    const wide = matchMedia(TWO_MONTHS);
    /** Scrolls to the months where the range ends. */
    const scroll = ({ jumpToDate, config }: Instance) =>
      jumpToDate(firstMonthOf(latest.current.value, config.showMonths, new Date()));
    const fit = () => {
      if (!calendar.current) return;
      showMonths(calendar.current, wide.matches ? 2 : 1);
      scroll(calendar.current);
    };
    wide.addEventListener('change', fit);
    void import('flatpickr').then(({ default: flatpickr }) => {
      if (isUnmounted || !input.current) return;
      const hadFocus = document.activeElement === input.current;
      calendar.current = flatpickr(input.current, {
        mode: 'range',
        dateFormat: 'd/m/Y',
        showMonths: wide.matches ? 2 : 1,
        monthSelectorType: 'static',
        locale: { firstDayOfWeek: 1, rangeSeparator: SEPARATOR },
        defaultDate: datesOf(latest.current.value),
        animate: false,
        positionElement: input.current.parentElement ?? undefined,
        onOpen: (_dates, _text, instance) => scroll(instance),
        onClose(dates, _text, instance) {
          const picked = rangeOf(dates);
          if (dates.length === 1) instance.setDate(datesOf(picked), false);
          const { value: before, onValue: onChange, isLocal: isZoned } = latest.current;
          if (formatRange(picked) === formatRange(before)) return;
          onChange(picked && isZoned ? inViewersZone(picked) : picked);
        },
      });
      if (hadFocus) calendar.current.open();
    });
    return () => {
      isUnmounted = true;
      wide.removeEventListener('change', fit);
      calendar.current?.destroy();
      calendar.current = null;
    };
  }, []);

  const text = formatRange(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` changes whenever `value` does
  useEffect(() => {
    calendar.current?.setDate(datesOf(value), false);
    if (!calendar.current && input.current) input.current.value = text;
  }, [text]);

  return (
    <div className={`input date-range ${className}`}>
      <CalendarDays size={16} aria-hidden className="shrink-0 text-quiet" />
      <input
        ref={input}
        type="text"
        readOnly
        className="numbers min-w-0"
        aria-label={label}
        placeholder="Search between dates"
        defaultValue={text}
        // After Escape the field keeps the focus, and flatpickr reopens on Enter only.
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') calendar.current?.open();
        }}
      />
      {value && (
        <ClearButton
          onClick={() => {
            onValue(null);
            input.current?.focus();
            calendar.current?.close();
          }}
        />
      )}
    </div>
  );
}

function ClearButton({ onClick }: { onClick: () => void }) {
  return (
    <button
      type="button"
      className="-mr-2 grid size-7 max-sm:-mr-3 max-sm:size-10 shrink-0 cursor-pointer place-items-center rounded-md text-quiet hover:text-base-content"
      aria-label="Clear dates"
      onClick={onClick}
    >
      <X size={16} aria-hidden />
    </button>
  );
}

/**
 * Makes an existing calendar show one month or two. flatpickr itself would keep the width of two
 * months, which is too wide for a narrow page, and it draws no line between months that it was not
 * created with.
 */
function showMonths(calendar: Instance, count: 1 | 2) {
  calendar.set('showMonths', count);
  const { calendarContainer, daysContainer } = calendar;
  calendarContainer.classList.toggle('multiMonth', count > 1);
  if (count > 1) return;
  calendarContainer.style.removeProperty('width');
  daysContainer?.style.removeProperty('width');
}
