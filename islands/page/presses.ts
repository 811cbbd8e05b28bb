/** A pointer that has moved farther than this, in pixels, was dragged off its control on purpose. */
const MAX_DISTANCE = 8;
const CONTROL = 'a[href], button, summary, label, input';

type Press = { pointerId: number; control: HTMLElement | null; x: number; y: number };

/**
 * Makes a press count for the control that it began on, even if content that arrives meanwhile moves that control
 * from under the pointer. Browsers would click what is there when the pointer is released: nothing, or with a
 * finger another button.
 */
export function keepPresses() {
  let press: Press | null = null;
  window.addEventListener(
    'pointerdown',
    ({ isPrimary, pointerId, target, clientX: x, clientY: y }) => {
      if (isPrimary) press = { pointerId, control: controlOf(target), x, y };
    },
    true,
  );
  window.addEventListener(
    'click',
    (event) => {
      const begun = press;
      press = null;
      // A click by a key or a script has no press, nor has the one that a label passes on to its field.
      if (!begun || !(event instanceof PointerEvent) || event.pointerId !== begun.pointerId) return;
      if (controlOf(event.target) === begun.control) return;
      if (Math.hypot(event.clientX - begun.x, event.clientY - begun.y) > MAX_DISTANCE) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (begun.control?.isConnected) begun.control.click();
    },
    true,
  );
}

const controlOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>(CONTROL) : null;
