import CalendarDays from 'lucide-react/icons/calendar-days';
import X from 'lucide-react/icons/x';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type DayRange, datesOf, formatRange, inViewersZone, parseRange } from './day-range.ts';
import { useRangeCalendar } from './use-range-calendar.ts';

/** The keys in the field that flatpickr may handle. It would clear the range on Backspace. */
const CALENDAR_KEYS = ['Escape', 'ArrowDown', 'Tab'];

/**
 * A range of calendar days, shown as dd/MM/yyyy, which is typed or picked from two months side by side.
 * Picking one day alone or twice makes a range of one day. `onValue` gets null when the range is cleared.
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
  const calendar = useRangeCalendar(input, { value, onValue, isLocal });
  const [isInvalid, setInvalid] = useState(false);

  const text = formatRange(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` changes whenever `value` does
  useEffect(() => {
    calendar.current?.setDate(datesOf(value), false);
    if (!calendar.current && input.current) input.current.value = text;
    setInvalid(false);
  }, [text]);

  /** Takes what was typed. Returns false if that is the range already. */
  const take = () => {
    const typed = input.current?.value ?? '';
    const range = parseRange(typed);
    setInvalid(range === undefined);
    if (typed === text) return false;
    if (range === undefined) return true;
    if (!calendar.current) {
      onValue(range && isLocal ? inViewersZone(range) : range);
      return true;
    }
    // Closing reports the dates of the calendar.
    calendar.current.setDate(datesOf(range), false);
    calendar.current.close();
    return true;
  };
  const onKey = (event: KeyboardEvent) => {
    if (CALENDAR_KEYS.includes(event.key)) return;
    event.stopPropagation();
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (!take()) calendar.current?.open();
  };

  return (
    <div className={`input date-range relative ${isInvalid ? 'input-error' : ''} ${className}`}>
      <CalendarDays size={16} aria-hidden className="shrink-0 text-quiet" />
      <input
        ref={input}
        type="text"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={isInvalid || undefined}
        className="numbers min-w-0"
        aria-label={label}
        placeholder="Search between dates"
        defaultValue={text}
        onKeyDownCapture={onKey}
        onBlur={({ relatedTarget }) => {
          const { calendarContainer, isOpen } = calendar.current ?? {};
          const isInCalendar = relatedTarget ? calendarContainer?.contains(relatedTarget) : isOpen;
          if (!isInCalendar) take();
        }}
        // After Escape the field keeps the focus, and flatpickr reopens on Enter only.
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') calendar.current?.open();
        }}
      />
      {isInvalid && <InvalidNote />}
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

const InvalidNote = () => (
  <p
    role="alert"
    className="absolute top-full left-0 z-20 mt-1 rounded-md border border-base-300 bg-base-200 px-2 py-1 text-xs text-error"
  >
    Enter one day or two, such as 21/11/2026 – 30/11/2026.
  </p>
);

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
