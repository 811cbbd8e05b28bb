/** Whether an Accept-Encoding header accepts a coding; `q=0` refuses it (RFC 9110, 12.5.3). */
export function accepts(header: string | null, coding: string): boolean {
  if (!header) return false;
  const parts = header.toLowerCase().split(',').map(partOf);
  const named = parts.find(({ name }) => name === coding) ?? parts.find(({ name }) => name === '*');
  return named !== undefined && !named.isRefused;
}

function partOf(text: string) {
  const [name = '', ...parameters] = text.split(';').map((one) => one.trim());
  return { name, isRefused: parameters.some((one) => /^q=0(\.0*)?$/.test(one)) };
}

/** Whether a request is a browser's navigation, which gets a page. Programs get text or JSON. */
export const wantsPage = (request: Request): boolean =>
  request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html');
