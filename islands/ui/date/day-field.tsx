import type { Instance } from 'flatpickr/dist/types/instance';
import CalendarDays from 'lucide-react/icons/calendar-days';
import { type ReactNode, useEffect, useRef } from 'react';
import { Field } from '../form/field.tsx';
import { calendarRoles } from './calendar-roles.ts';
import { dayOf } from './day-range.ts';
import { loadFlatpickr } from './load-flatpickr.ts';

/**
 * A field for a day that is not in the past, picked or typed, shown as dd/MM/yyyy. `onValue` gets
 * yyyy-MM-dd, or an empty text if the field has no valid day.
 */
export function DayField({
  label,
  help,
  onValue,
}: {
  label: string;
  help: ReactNode;
  onValue: (day: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const latestOnValue = useRef(onValue);
  latestOnValue.current = onValue;

  useEffect(() => {
    let isUnmounted = false;
    let calendar: Instance | undefined;
    void loadFlatpickr().then((flatpickr) => {
      if (isUnmounted || !input.current) return;
      calendar = flatpickr(input.current, {
        ...calendarRoles,
        dateFormat: 'd/m/Y',
        allowInput: true,
        minDate: 'today',
        maxDate: new Date(9999, 11, 30),
        monthSelectorType: 'static',
        locale: { firstDayOfWeek: 1 },
        positionElement: input.current.parentElement ?? undefined,
        animate: false,
        // The native picker of phones would show the day in another format.
        disableMobile: true,
        // flatpickr logs invalid input as an error, and clears the field anyway.
        errorHandler: () => {},
        onChange: ([date]) => latestOnValue.current(date ? dayOf(date) : ''),
      });
    });
    return () => {
      isUnmounted = true;
      calendar?.destroy();
    };
  }, []);

  return (
    <Field label={label} help={help}>
      {(described) => (
        <div className="input w-full">
          <CalendarDays size={16} aria-hidden className="shrink-0 text-quiet" />
          <input
            {...described}
            ref={input}
            type="text"
            inputMode="numeric"
            autoComplete="off"
            placeholder="dd/mm/yyyy"
            className="numbers min-w-0"
          />
        </div>
      )}
    </Field>
  );
}
