import { CONNECTION_EVENT, type ConnectionState } from './page-events.ts';

const OFFLINE = 'You are offline. This page stays as it is until the connection is back.';
const SILENT = 'The server does not answer. This page stays as it is until it does.';

/** Says so, at the foot of the page, while there is no connection. */
export function watchConnection() {
  const notice = document.querySelector('[data-connection]');
  let link: ConnectionState = 'up';
  const show = () => {
    const text = navigator.onLine ? (link === 'down' ? SILENT : '') : OFFLINE;
    if (notice && notice.textContent !== text) notice.textContent = text;
  };
  window.addEventListener('online', show);
  window.addEventListener('offline', show);
  document.addEventListener(CONNECTION_EVENT, (event) => {
    link = (event as CustomEvent<ConnectionState>).detail;
    show();
  });
  show();
}
