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
import { loadFlatpickr } from './load-flatpickr.ts';

/** A narrower screen has room for one month only. */
const TWO_MONTHS = '(min-width: 660px)';

const OPTIONS = {
  ...calendarRoles,
  mode: 'range',
  dateFormat: 'd/m/Y',
  monthSelectorType: 'static',
  locale: { firstDayOfWeek: 1, rangeSeparator: SEPARATOR },
  animate: false,
} as const;

type Ranged = {
  value: DayRange | null;
  onValue: (value: DayRange | null) => void;
  isLocal: boolean;
};

/**
 * Adds a calendar for ranges to a field, and returns it. There is none until it is loaded, which begins when the user
 * points at the field or focuses it.
 */
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
    const load = async () => {
      const flatpickr = await loadFlatpickr();
      if (isUnmounted || !input.current || calendar.current) return;
      const hadFocus = document.activeElement === input.current;
      calendar.current = flatpickr(input.current, {
        ...OPTIONS,
        showMonths: wide.matches ? 2 : 1,
        defaultDate: datesOf(latest.current.value),
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
      // flatpickr measures the calendar in the next frame, and would place one that it does not know the size of.
      if (hadFocus) requestAnimationFrame(() => calendar.current?.open());
    };
    // Without the calendar the field still takes what is typed.
    const stopWaiting = onceWanted(input.current, () => void load().catch(() => {}));
    return () => {
      isUnmounted = true;
      stopWaiting();
      wide.removeEventListener('change', fit);
      calendar.current?.destroy();
      calendar.current = null;
    };
  }, [input]);
  return calendar;
}

/** Calls `act` when the user points at a field or focuses it. Returns a function that stops waiting. */
function onceWanted(field: HTMLInputElement | null, act: () => void): () => void {
  const waiting = new AbortController();
  const { signal } = waiting;
  for (const sign of ['pointerenter', 'focus'])
    field?.addEventListener(sign, act, { once: true, signal });
  if (field && document.activeElement === field) act();
  return () => waiting.abort();
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
