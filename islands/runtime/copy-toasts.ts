import { COPIED_EVENT, type CopiedDetail } from '../page/page-events.ts';
import { notify } from './notify.ts';

/** Shows a toast for each copy button that was pressed. */
export function startCopyToasts() {
  document.addEventListener(COPIED_EVENT, (event) => {
    event.preventDefault();
    const { copied, message } = (event as CustomEvent<CopiedDetail>).detail;
    if (copied) notify.success(message);
    else notify.error(message);
  });
}
