/**
 * A ref for the first field of a step: it takes the focus that the last step's button left behind,
 * and never one that stands somewhere else.
 */
export function focusFirst(field: HTMLInputElement | null) {
  if (document.activeElement === document.body) field?.focus({ preventScroll: true });
}
