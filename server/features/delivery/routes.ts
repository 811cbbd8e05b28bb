import { AppError, notFound, renderError } from '../../errors.ts';
import type { Log } from '../../platform/log.ts';
import { answerObject, answerPreflight, answerPrivateText } from './answer.ts';
import { isCues, isPlaylist } from './content-types.ts';
import { PRIVATE_CACHE } from './headers.ts';
import type { Delivery } from './service.ts';
import { targetOf } from './target.ts';

/**
 * `/cdn/{bucketID}/{fileID}/{name}`, as routes of Bun's own: delivery is the hot path, and a
 * framework's context for each request costs more than a small file does. So it writes its own
 * log line, and its answers carry no request id, which a shared cache would hand to everybody.
 */
export function deliveryRoutes({ delivery, log }: { delivery: Delivery; log: Log }) {
  const deliver = (request: Request): Response | Promise<Response> => {
    const started = performance.now();
    const target = targetOf(request.url);
    const ready = target && delivery.atHand(target);
    if (ready) return logged(request, started, answerObject(request, ready));
    return answer(request, target).then((response) => logged(request, started, response));
  };

  const answer = async (request: Request, target: ReturnType<typeof targetOf>) => {
    try {
      if (!target) throw notFound('File');
      const delivered = await delivery.open(target);
      const { isPrivate, isEarly } = delivered;
      const namesOthers = isPlaylist(target.name) || isCues(target.name);
      if (isPrivate && target.token !== null && namesOthers) {
        return await answerPrivateText(target.name, delivered, target.token);
      }
      return answerObject(
        request,
        delivered,
        isPrivate ? PRIVATE_CACHE : isEarly ? 'no-cache' : null,
      );
    } catch (error) {
      if (error instanceof AppError) return withCors(renderError(error));
      log.error({ error: String(error), stack: (error as Error)?.stack }, 'delivery failed');
      return renderError(new AppError(500, 'unexpected', 'An unexpected error occurred.'));
    }
  };

  const logged = (request: Request, started: number, response: Response) => {
    const ms = Math.round((performance.now() - started) * 10) / 10;
    log.info(
      { method: request.method, path: pathOf(request.url), status: response.status, ms },
      'request',
    );
    return response;
  };

  return {
    '/cdn/*': { GET: deliver, HEAD: deliver, OPTIONS: answerPreflight },
  };
}

/** Without the query: that is where tokens are. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.indexOf('?', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/** A player on another site should be able to read why. */
function withCors(response: Response): Response {
  response.headers.set('access-control-allow-origin', '*');
  return response;
}
