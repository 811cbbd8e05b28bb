import type { IncomingMessage } from 'node:http';
import { S3Error } from '../errors.ts';

/** Returns the body of a request as a stream that reads on only as its bytes are taken. It fails where it is cut off. */
export function toBodyStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const pieces = incoming[Symbol.asyncIterator]();
  let isCutOff = false;
  incoming.once('aborted', () => {
    isCutOff = true;
  });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done && (isCutOff || !incoming.complete)) throw new Error('aborted');
          if (done) controller.close();
          else controller.enqueue(value);
        } catch {
          controller.error(new S3Error('IncompleteBody', 'The connection ended within the body.'));
        }
      },
    },
    { highWaterMark: 0 },
  );
}
