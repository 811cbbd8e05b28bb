import { memoizeAsync } from '../../server/contract/memoize.ts';
import type { DocsSearchEntry } from '../../server/contract/wire.ts';
import { startCalls } from './calls.ts';
import { findEntries, wordsOf } from './search.ts';

/** Starts the search of the guide and the reference. The page's shortcuts lead to its field. */
function startSearch(field: HTMLInputElement) {
  const search = () => {
    const words = wordsOf(field.value);
    filterCalls(words);
    void showResults(field, words);
  };
  field.addEventListener('input', search);
  // Browsers restore what was typed before a reload.
  if (field.value) search();
}

/** The texts to search in, which only those load who search. */
const loadIndex = memoizeAsync(async () => {
  const response = await fetch('/docs/search.json');
  if (!response.ok) throw new Error(`The search index responded with ${response.status}.`);
  return (await response.json()) as DocsSearchEntry[];
});

/** Lists what was found in the guide. Where the reference's own list of calls is not in sight, calls are listed too. */
async function showResults(field: HTMLInputElement, words: string[]) {
  const list = document.querySelector<HTMLElement>('[data-docs-results]');
  const status = document.querySelector<HTMLElement>('[data-docs-found]');
  if (!list || !status) return;
  const entries = await loadIndex().catch(() => []);
  // The reader has typed more in the meantime.
  if (wordsOf(field.value).join(' ') !== words.join(' ')) return;
  const hasCalls = document.querySelector('[data-docs-calls]')?.checkVisibility() ?? false;
  const found = findEntries(
    entries.filter(({ kind }) => kind === 'guide' || !hasCalls),
    words,
  );
  const hasNone = found.length === 0 && words.length > 0 && !(hasCalls && areCallsShown());
  list.replaceChildren(...(hasNone ? [noResults()] : found.map(resultLink)));
  list.hidden = found.length === 0 && !hasNone;
  if (words.length === 0) status.textContent = '';
  else status.textContent = found.length === 1 ? '1 result' : `${found.length} results`;
}

const areCallsShown = () => document.querySelector('[data-operation]:not([hidden])') !== null;

function noResults(): HTMLParagraphElement {
  const text = document.createElement('p');
  text.className = 'px-2 py-1.5 text-sm text-quiet';
  text.textContent = 'No results.';
  return text;
}

function resultLink({ title, section, path }: DocsSearchEntry): HTMLAnchorElement {
  const link = document.createElement('a');
  link.href = path;
  link.className = 'block rounded-md px-2 py-1.5 hover:bg-base-300';
  const heading = document.createElement('span');
  heading.className = 'block text-sm font-medium wrap-anywhere';
  heading.textContent = section || title;
  link.append(heading);
  if (section) {
    const page = document.createElement('span');
    page.className = 'block text-xs text-quiet wrap-anywhere';
    page.textContent = title;
    link.append(page);
  }
  return link;
}

/** Shows the calls that contain all the words. The guide stays in sight. */
function filterCalls(words: string[]) {
  const calls = [...document.querySelectorAll<HTMLElement>('[data-operation]')];
  for (const call of calls) {
    call.hidden = !words.every((term) => call.dataset.operation?.includes(term));
  }
  for (const group of document.querySelectorAll<HTMLElement>('[data-group]')) {
    group.hidden = !group.querySelector('[data-operation]:not([hidden])');
  }
  const noMatch = document.querySelector<HTMLElement>('[data-no-match]');
  if (noMatch) noMatch.hidden = calls.some((call) => !call.hidden);
}

/** Scrolls to the open page's tab. On narrow screens the guide's pages are a row of tabs that scrolls. */
function scrollToOpenTab() {
  const tabs = document.querySelector<HTMLElement>('[data-guide-tabs]');
  const open = tabs?.querySelector<HTMLElement>('[aria-current]');
  if (!tabs || !open) return;
  const middle = open.offsetLeft + open.offsetWidth / 2;
  tabs.scrollLeft = middle - tabs.offsetLeft - tabs.clientWidth / 2;
}

const LANGUAGE_KEY = 'docs-language';

/** Keeps the language of the samples from one page to the next. */
function keepLanguage() {
  const choices = [...document.querySelectorAll<HTMLInputElement>('input[name=sample]')];
  try {
    const kept = localStorage.getItem(LANGUAGE_KEY);
    for (const choice of choices) if (choice.value === kept) choice.checked = true;
    for (const choice of choices)
      choice.addEventListener('change', () => localStorage.setItem(LANGUAGE_KEY, choice.value));
  } catch {
    // If storage is forbidden, the choice lasts as long as the page.
  }
}

const field = document.querySelector<HTMLInputElement>('[data-docs-search]');
if (field) startSearch(field);
scrollToOpenTab();
keepLanguage();
startCalls();
