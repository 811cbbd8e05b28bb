import type { Request } from './protocol.ts';
import { handleRequest } from './requests.ts';

/*
 * The entry of a database thread, which the program starts and scripts/binary.ts compiles beside it. It
 * handles one request after another, so its replies come in the order of the requests.
 */

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<Request | string>) =>
  self.postMessage(handleRequest(data));
