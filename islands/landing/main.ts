import { startCalculator } from './calculator.ts';

startCompare();
startClip();
startCalculator();

/** Starts the photo comparison: moves its divider, and shows which format the browser received. */
function startCompare() {
  const figure = document.querySelector<HTMLElement>('[data-compare]');
  const box = figure?.querySelector<HTMLElement>('.compare');
  const range = figure?.querySelector<HTMLInputElement>('input[type=range]');
  const delivered = figure?.querySelector<HTMLImageElement>('[data-delivered]');
  if (!figure || !box || !range || !delivered) return;

  const original = figure.querySelector<HTMLImageElement>('[data-original]');
  const compare = () => {
    if (original && !original.src) original.src = original.dataset.src ?? '';
  };
  for (const sign of ['pointerenter', 'pointerdown', 'focusin'])
    figure.addEventListener(sign, compare, { once: true, passive: true });

  const move = () => box.style.setProperty('--at', `${range.value}%`);
  range.addEventListener('input', move);
  // Browsers restore the position from before a reload.
  move();

  const showFormat = () => {
    const format = delivered.currentSrc.endsWith('.webp') ? 'webp' : 'avif';
    for (const part of figure.querySelectorAll<HTMLElement>('[data-format]')) {
      part.hidden = part.dataset.format !== format;
    }
  };
  if (delivered.complete) showFormat();
  else delivered.addEventListener('load', showFormat);
}

/** Replaces the clip's poster with the player when it is clicked, so that only then the player loads. */
function startClip() {
  const link = document.querySelector<HTMLAnchorElement>('[data-clip]');
  link?.addEventListener('click', (event) => {
    // With these keys the browser opens the player's page in a new tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (link.ariaBusy === 'true') return;
    link.ariaBusy = 'true';
    const frame = playerFrame(link.href);
    frame.addEventListener('load', () => showPlayer(frame, link));
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

/** Shows the loaded player. If something else has loaded, such as an error page, the link stays. */
function showPlayer(frame: HTMLIFrameElement, link: HTMLAnchorElement) {
  link.ariaBusy = null;
  if (!frame.contentDocument?.querySelector('video')) {
    frame.remove();
    return;
  }
  // Focusing the frame makes the player's keys work, unless the user has focused something else.
  const { activeElement } = document;
  if (activeElement === link || activeElement === document.body) frame.focus();
  link.remove();
  frame.dataset.ready = '';
}
