import { openApiResponses } from '../../web/http/openapi-responses.ts';

/** Describes a call of the admin's for the API reference; `texts` are its responses by status. */
export const detail = (summary: string, texts: Record<number, string> = {}) => ({
  detail: { summary, tags: ['Admin'], security: [{ session: [] }], ...openApiResponses(texts) },
});

/** The 204 response to a request that deletes a bucket or a user. */
export const DELETING = 'Deletion started. Delivery has stopped.';
