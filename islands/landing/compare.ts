/** The landing page's photo: moves the line, and says which format this browser was delivered. */
export function startCompare() {
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
