import type { Instance } from 'flatpickr/dist/types/instance';
import CalendarDays from 'lucide-react/icons/calendar-days';
import X from 'lucide-react/icons/x';
import { useEffect, useRef } from 'react';
import { type DayRange, datesOf, rangeOf, SEPARATOR, shownRange } from './day-range.ts';

/** Below this only one month has room. */
const TWO_MONTHS = '(min-width: 660px)';

/**
 * Picks a range of calendar days, shown dd/MM/yyyy, on two months side by side. One day picked
 * twice, or alone, is a range of one day. `onValue` gets null when it is cleared.
 */
export function DateRange({
  label = 'Search between dates',
  value,
  onValue,
  className = '',
}: {
  label?: string;
  value: DayRange | null;
  onValue: (value: DayRange | null) => void;
  className?: string;
}) {
  const input = useRef<HTMLInputElement>(null);
  const calendar = useRef<Instance>(null);
  const latest = useRef({ value, onValue });
  latest.current = { value, onValue };

  useEffect(() => {
    let gone = false;
    const wide = matchMedia(TWO_MONTHS);
    const fit = () => calendar.current && showMonths(calendar.current, wide.matches ? 2 : 1);
    wide.addEventListener('change', fit);
    void import('flatpickr').then(({ default: flatpickr }) => {
      if (gone || !input.current) return;
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
        onClose(dates, _text, instance) {
          const picked = rangeOf(dates);
          if (dates.length === 1) instance.setDate(datesOf(picked), false);
          const { value: before, onValue: tell } = latest.current;
          if (shownRange(picked) !== shownRange(before)) tell(picked);
        },
      });
      if (hadFocus) calendar.current.open();
    });
    return () => {
      gone = true;
      wide.removeEventListener('change', fit);
      calendar.current?.destroy();
      calendar.current = null;
    };
  }, []);

  const shown = shownRange(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown is what has changed
  useEffect(() => {
    calendar.current?.setDate(datesOf(value), false);
    // Otherwise it would open where the range was.
    if (!value) calendar.current?.jumpToDate(new Date());
    if (!calendar.current && input.current) input.current.value = shown;
  }, [shown]);

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
        defaultValue={shown}
        // After Escape the focus stays here; flatpickr itself opens again at Enter only.
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') calendar.current?.open();
        }}
      />
      {value && (
        <button
          type="button"
          className="-mr-2 grid size-7 max-sm:-mr-3 max-sm:size-10 shrink-0 cursor-pointer place-items-center rounded-md text-quiet hover:text-base-content"
          aria-label="Clear dates"
          onClick={() => {
            onValue(null);
            input.current?.focus();
            calendar.current?.close();
          }}
        >
          <X size={16} aria-hidden />
        </button>
      )}
    </div>
  );
}

/**
 * Makes a calendar that is there show one month or two. flatpickr itself would leave one of one month
 * as wide as it was with two, which is wider than a narrow page, and draws no line between months
 * that it was not built with.
 */
function showMonths(calendar: Instance, count: 1 | 2) {
  calendar.set('showMonths', count);
  const { calendarContainer, daysContainer } = calendar;
  calendarContainer.classList.toggle('multiMonth', count > 1);
  if (count > 1) return;
  calendarContainer.style.removeProperty('width');
  daysContainer?.style.removeProperty('width');
}
