import type { Instance } from 'flatpickr/dist/types/instance';
import { type RefObject, useEffect, useRef } from 'react';
import { calendarRoles } from './calendar-roles.ts';
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
type Ranged = {
  value: DayRange | null;
  onValue: (value: DayRange | null) => void;
  isLocal: boolean;
};

/** Adds a calendar for ranges to a field, and returns it. There is none until it is loaded. */
export function useRangeCalendar(input: RefObject<HTMLInputElement | null>, props: Ranged) {
  const calendar = useRef<Instance>(null);
  const latest = useRef(props);
  latest.current = props;

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
        ...calendarRoles,
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
      // flatpickr would parse what is typed by its own format only, and log an error for the rest.
      input.current.readOnly = false;
      // On a touch screen its keyboard would cover the calendar.
      if (matchMedia('(pointer: coarse)').matches) input.current.inputMode = 'none';
      if (hadFocus) calendar.current.open();
    });
    return () => {
      isUnmounted = true;
      wide.removeEventListener('change', fit);
      calendar.current?.destroy();
      calendar.current = null;
    };
  }, [input]);
  return calendar;
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
