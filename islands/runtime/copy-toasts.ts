import { COPIED, type Copied } from '../page/copied.ts';
import { notify } from './notify.ts';

/** Shows a toast for each copy button that was pressed. */
export function startCopyToasts() {
  document.addEventListener(COPIED, (event) => {
    event.preventDefault();
    const { copied, message } = (event as CustomEvent<Copied>).detail;
    if (copied) notify.success(message);
    else notify.error(message);
  });
}
