/** The reference's search: it leaves the calls that have all the words, and no guide. `/` leads to it. */
const field = document.querySelector<HTMLInputElement>('[data-docs-search]');
const calls = [...document.querySelectorAll<HTMLElement>('[data-operation]')];
const groups = [...document.querySelectorAll<HTMLElement>('[data-group]')];
const guide = document.querySelector<HTMLElement>('[data-guide-index]');
const noMatch = document.querySelector<HTMLElement>('[data-no-match]');

function filter() {
  const words = (field?.value ?? '').toLowerCase().split(/\s+/);
  // Who looks for a call wants to see those found, on a phone above all.
  if (guide) guide.hidden = words.some((word) => word !== '');
  for (const call of calls) {
    call.hidden = !words.every((word) => call.dataset.operation?.includes(word));
  }
  for (const group of groups) {
    group.hidden = !group.querySelector('[data-operation]:not([hidden])');
  }
  if (noMatch) noMatch.hidden = calls.some((call) => !call.hidden);
}

field?.addEventListener('input', filter);
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.matches('input, textarea');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field?.focus();
  field?.select();
});
// Browsers put back what was typed before a reload.
if (field?.value) filter();
