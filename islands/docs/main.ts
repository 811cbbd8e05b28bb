const field = document.querySelector<HTMLInputElement>('[data-docs-search]');
if (field) startSearch(field);
scrollToOpenTab();

/** Starts the search of the API reference, which the `/` key leads to. */
function startSearch(field: HTMLInputElement) {
  field.addEventListener('input', () => filterCalls(field.value));
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
  // Browsers restore what was typed before a reload.
  if (field.value) filterCalls(field.value);
}

/** Shows the calls that contain all the words, and hides the guide while there are any words. */
function filterCalls(text: string) {
  const words = text.toLowerCase().split(/\s+/);
  const calls = [...document.querySelectorAll<HTMLElement>('[data-operation]')];
  // On a phone the guide's index would push the calls that were found off the screen.
  const guide = document.querySelector<HTMLElement>('[data-guide-index]');
  if (guide) guide.hidden = words.some((term) => term !== '');
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
