import { openApiResponses } from '../../web/http/openapi-responses.ts';

/** How the reference describes a call of the admin's. */
export const detail = (summary: string, texts: Record<number, string> = {}) => ({
  detail: { summary, tags: ['Admin'], security: [{ session: [] }], ...openApiResponses(texts) },
});
