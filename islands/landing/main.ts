import { startCalculator } from './calculator.ts';

/** What the landing page does without any library. */
startCompare();
startClip();
startCalculator();

/** The landing page's photo: moves the line, and says which format this browser was delivered. */
function startCompare() {
  const figure = document.querySelector<HTMLElement>('[data-compare]');
  const box = figure?.querySelector<HTMLElement>('.compare');
  const range = figure?.querySelector<HTMLInputElement>('input[type=range]');
  const delivered = figure?.querySelector<HTMLImageElement>('[data-delivered]');
  if (!figure || !box || !range || !delivered) return;

  const move = () => box.style.setProperty('--at', `${range.value}%`);
  range.addEventListener('input', move);
  // Browsers put it back where it was before a reload.
  move();

  const tell = () => {
    const format = delivered.currentSrc.endsWith('.webp') ? 'webp' : 'avif';
    for (const part of figure.querySelectorAll<HTMLElement>('[data-format]')) {
      part.hidden = part.dataset.format !== format;
    }
  };
  if (delivered.complete) tell();
  else delivered.addEventListener('load', tell);
}

/** The landing page's clip: who asks to play it gets the player in the picture's place, and none before. */
function startClip() {
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
