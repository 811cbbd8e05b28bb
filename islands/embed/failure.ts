/** Says in the frame, over the picture, why the video does not go on. */
export function tell(text: string) {
  const place = document.getElementById('failure');
  if (!place) return;
  place.textContent = text;
  place.hidden = text === '';
}
