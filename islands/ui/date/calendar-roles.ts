import type { DayElement, Instance } from 'flatpickr/dist/types/instance';

/**
 * Options that give the parts of a calendar the roles they act in. flatpickr draws buttons as plain spans,
 * on which ARIA allows no label, and outside all landmarks.
 */
export const calendarRoles = {
  onReady(_dates: Date[], _text: string, calendar: Instance) {
    label(calendar.calendarContainer, 'dialog', 'Calendar');
    label(calendar.prevMonthNav, 'button', 'Previous month');
    label(calendar.nextMonthNav, 'button', 'Next month');
  },
  onDayCreate(_dates: Date[], _text: string, _calendar: Instance, day: DayElement) {
    day.setAttribute('role', 'button');
    const isPicked = ['selected', 'inRange'].some((name) => day.classList.contains(name));
    day.setAttribute('aria-pressed', String(isPicked));
  },
};

function label(element: HTMLElement, role: string, name: string) {
  element.setAttribute('role', role);
  element.setAttribute('aria-label', name);
}
