/** Shows an address as the viewer's in the bar, which was rendered with the page. */
export function showAccountLabel(email: string) {
  for (const place of document.querySelectorAll('[data-viewer-email]')) place.textContent = email;
}
