import { accepts } from './content-negotiation.ts';
import { gzip } from './gzip.ts';

/** A smaller body takes as many packets as its compressed form. */
const MIN_BYTES = 1400;
const COMPRESSIBLE = /^(text\/|application\/(json|xml|yaml)\b)/;

type Answered = {
  request: Request;
  /** What the route returned: a response, or a value that is sent as JSON. */
  value: unknown;
  /** The status of a value. */
  status: number;
};

/**
 * Returns the response with gzip where the client accepts it and it pays; undefined where the response
 * stays as it is. Pages are compressed while they are rendered, and values outside the event loop. No
 * response has both a secret and text that another site can choose, so its size tells nothing (BREACH).
 */
export async function compressed(answered: Answered): Promise<Response | undefined> {
  const { request, value } = answered;
  if (request.method === 'HEAD') return undefined;
  const isAccepted = accepts(request.headers.get('accept-encoding'), 'gzip');
  if (value instanceof Response) return compressedResponse(value, isAccepted);
  if (!isAccepted || value === null || typeof value !== 'object') return undefined;
  return compressedJson(answered);
}

function compressedResponse(response: Response, isAccepted: boolean): Response | undefined {
  const { headers, status } = response;
  const isText = COMPRESSIBLE.test(headers.get('content-type') ?? '');
  // The assets have copies that the build compressed, and fixed responses are compressed once.
  const hasCopies = headers.get('vary') === 'Accept-Encoding' || headers.has('content-encoding');
  if (!isText || !isAccepted || hasCopies || !response.body) return undefined;
  headers.set('content-encoding', 'gzip');
  headers.delete('content-length');
  return new Response(response.body.pipeThrough(new CompressionStream('gzip')), {
    status,
    headers,
  });
}

async function compressedJson({ value, status }: Answered): Promise<Response | undefined> {
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return undefined;
  const text = JSON.stringify(value);
  const headers = { 'content-type': 'application/json;charset=utf-8' };
  if (text.length < MIN_BYTES) return new Response(text, { status, headers });
  return new Response(await gzip(text), {
    status,
    headers: { ...headers, 'content-encoding': 'gzip' },
  });
}
