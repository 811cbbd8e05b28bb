import styles from 'flatpickr/dist/flatpickr.min.css' with { type: 'text' };

/** Adds the styles of flatpickr to the document, in the layer that our own rules in calendar.css win over. */
export function addCalendarStyles() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`@layer components{${styles}}`);
  document.adoptedStyleSheets.push(sheet);
}
