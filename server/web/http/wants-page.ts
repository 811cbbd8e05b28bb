/** Whether a browser navigates here, and so gets a page; a program gets text or JSON. */
export const wantsPage = (request: Request): boolean =>
  request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html');
