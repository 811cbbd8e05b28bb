/**
 * Makes the calls of the reference open with what they take and answer, which is text until then; and opens the call
 * that the address names, now and whenever the reader follows a link to one.
 */
export function startCalls() {
  // The event of `details` does not bubble.
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && target.open) fill(target);
    },
    true,
  );
  openNamed();
  window.addEventListener('hashchange', openNamed);
  // A link to the call that the address names already changes nothing, but the reader may have closed the call.
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a') : null;
    if (link?.hash && link.href === location.href) openNamed();
  });
}

/** Makes elements of the details of a call, unless that was done before. */
function fill(call: HTMLDetailsElement) {
  const details = call.querySelector(':scope > noscript');
  if (!details) return;
  const parsed = document.createElement('template');
  // The text is part of our own page, which the server has written.
  parsed.innerHTML = details.textContent ?? '';
  details.replaceWith(parsed.content);
}

/**
 * Opens the call whose anchor is in the address. From the list of all calls, where they all were once, it leads to the
 * page that has the call.
 */
function openNamed() {
  const entry = document.getElementById(location.hash.slice(1));
  const link = entry?.querySelector<HTMLAnchorElement>('[data-call]');
  if (link) return location.replace(link.href);
  const call = entry?.querySelector<HTMLDetailsElement>('[data-call-details]');
  if (!entry || !call) return;
  call.open = true;
  fill(call);
  // The browser could not scroll so far while the call was closed.
  entry.scrollIntoView();
}
