import { memoizeAsync } from '../../../server/contract/memoize.ts';

/** Loads flatpickr with its styles, which no page has before it has a calendar. */
export const loadFlatpickr = memoizeAsync(async () => {
  const [{ default: flatpickr }, { addCalendarStyles }] = await Promise.all([
    import('flatpickr'),
    import('./calendar-styles.ts'),
  ]);
  addCalendarStyles();
  return flatpickr;
});
