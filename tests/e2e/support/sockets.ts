import type { Page } from '@playwright/test';

/** Counts the sockets of a page, whether the last one is open, and lets a test send messages to it. */
export async function watchSockets(page: Page) {
  const sockets = { opened: 0, isOpen: false, emit: (_: object) => {} };
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    sockets.opened += 1;
    sockets.isOpen = true;
    const connection = socket.connectToServer();
    socket.onClose(() => {
      sockets.isOpen = false;
      void connection.close();
    });
    sockets.emit = (event) => socket.send(JSON.stringify(event));
  });
  return sockets;
}
