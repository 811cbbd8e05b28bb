/** On narrow screens the pages are tabs that scroll: the open one is brought into sight. */
const tabs = document.querySelector<HTMLElement>('[data-guide-tabs]');
const open = tabs?.querySelector<HTMLElement>('[aria-current]');

if (tabs && open) {
  const middle = open.offsetLeft + open.offsetWidth / 2;
  tabs.scrollLeft = middle - tabs.offsetLeft - tabs.clientWidth / 2;
}
