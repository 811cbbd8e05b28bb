/** The landing page's clip: who asks to play it gets the player in the picture's place, and none before. */
export function startClip() {
  const link = document.querySelector<HTMLAnchorElement>('[data-clip]');
  link?.addEventListener('click', (event) => {
    // Another tab or window opens the player's page by itself.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (link.ariaBusy === 'true') return;
    link.ariaBusy = 'true';
    const frame = playerFrame(link.href);
    frame.addEventListener('load', () => settle(frame, link));
    link.after(frame);
  });
}

function playerFrame(url: string): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.title = 'Player of the clip';
  frame.allow = 'autoplay; fullscreen; picture-in-picture';
  frame.src = url;
  return frame;
}

/** Shows the player; where something else has come, as without a connection, one can ask again. */
function settle(frame: HTMLIFrameElement, link: HTMLAnchorElement) {
  link.ariaBusy = null;
  if (!frame.contentDocument?.querySelector('video')) {
    frame.remove();
    return;
  }
  // The player's keys work at once, unless one has gone on to something else.
  const { activeElement } = document;
  if (activeElement === link || activeElement === document.body) frame.focus();
  link.remove();
  frame.dataset.ready = '';
}
