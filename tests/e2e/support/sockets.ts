import type { Page } from '@playwright/test';

/** Counts the sockets of a page, whether the last one is open, collects what they get, and lets a test send messages. */
export async function watchSockets(page: Page) {
  const sockets = { opened: 0, isOpen: false, received: '', emit: (_: object) => {} };
  // The route's handler runs before the server has answered the handshake, which it may refuse.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  devtools.on('Network.webSocketHandshakeResponseReceived', ({ response }) => {
    sockets.isOpen = response.status === 101;
  });
  devtools.on('Network.webSocketFrameReceived', ({ response }) => {
    sockets.received += response.payloadData;
  });
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    sockets.opened += 1;
    const connection = socket.connectToServer();
    socket.onClose(() => {
      sockets.isOpen = false;
      void connection.close();
    });
    sockets.emit = (event) => socket.send(JSON.stringify(event));
  });
  return sockets;
}
