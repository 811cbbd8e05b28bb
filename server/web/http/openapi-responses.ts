const FAILURE = 400;
/** See own-pages.ts. */
export const CROSS_SITE_RESPONSE = "Requests from other sites' pages are refused.";

/**
 * What a call answers, for its entry in the reference: by status, in words for a person. Failures
 * are plain text; a good answer that has a body says so by its schema.
 */
export const openApiResponses = (texts: Record<number, string>) => ({
  responses: Object.fromEntries(
    Object.entries(texts).map(([status, description]) => [
      status,
      {
        description,
        ...(Number(status) >= FAILURE && {
          content: { 'text/plain': { schema: { type: 'string' as const } } },
        }),
      },
    ]),
  ),
});

/** The good answer of a call that is text of these types, for its entry in the reference. */
export const textResponse = (description: string, ...types: string[]) => ({
  responses: {
    200: {
      description,
      content: Object.fromEntries(
        types.map((type) => [type, { schema: { type: 'string' as const } }]),
      ),
    },
  },
});
