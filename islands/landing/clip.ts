/** The landing page's clip: who asks to play it gets the player in the picture's place, and none before. */
export function startClip() {
  const link = document.querySelector<HTMLAnchorElement>('[data-clip]');
  link?.addEventListener('click', (event) => {
    // Another tab or window opens the player's page by itself.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (link.ariaBusy === 'true') return;
    link.ariaBusy = 'true';
    link.after(playerFrame(link));
  });
}

function playerFrame(link: HTMLAnchorElement): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.title = 'Player of the clip';
  frame.allow = 'autoplay; fullscreen; picture-in-picture';
  frame.src = link.href;
  frame.addEventListener('load', () => {
    // The player's keys work at once, unless one has gone on to something else.
    const { activeElement } = document;
    if (activeElement === link || activeElement === document.body) frame.focus();
    link.remove();
    frame.dataset.ready = '';
  });
  return frame;
}
