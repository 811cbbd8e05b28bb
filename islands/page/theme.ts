import { CONTENT_EVENT } from '../runtime/page-events.ts';

const STORAGE_KEY = 'theme';
const CHOICES = ['light', 'dark', 'system'] as const;
export type ThemeChoice = (typeof CHOICES)[number];

/** Parses a stored choice. The default is dark. */
export const parseChoice = (stored: string | null): ThemeChoice =>
  CHOICES.find((choice) => choice === stored) ?? 'dark';

export const themeOf = (choice: ThemeChoice, systemIsLight: boolean) =>
  choice === 'light' || (choice === 'system' && systemIsLight) ? 'wharf-light' : 'wharf-dark';

const read = () => {
  try {
    return parseChoice(localStorage.getItem(STORAGE_KEY));
  } catch {
    return 'dark';
  }
};

/** Applies the choice, and every change of it in the menu, the system or another tab. */
export function startTheme() {
  const system = matchMedia('(prefers-color-scheme: light)');
  const buttons = () => document.querySelectorAll<HTMLElement>('[data-theme-choice]');
  const apply = (choice = read()) => {
    document.documentElement.dataset.theme = themeOf(choice, system.matches);
    for (const button of buttons()) {
      button.setAttribute('aria-pressed', String(button.dataset.themeChoice === choice));
    }
  };

  document.addEventListener('click', ({ target }) => {
    const button =
      target instanceof Element ? target.closest<HTMLElement>('[data-theme-choice]') : null;
    if (!button) return;
    const choice = parseChoice(button.dataset.themeChoice ?? null);
    try {
      localStorage.setItem(STORAGE_KEY, choice);
    } catch {
      // If storage is forbidden, the choice lasts as long as the page.
    }
    apply(choice);
    button.closest<HTMLElement>('[popover]')?.hidePopover();
  });
  system.addEventListener('change', () => apply());
  document.addEventListener(CONTENT_EVENT, () => apply());
  window.addEventListener('storage', ({ key }) => {
    if (key === STORAGE_KEY || key === null) apply();
  });
  apply();
}
