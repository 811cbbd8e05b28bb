const FAILURE = 400;
/** The text of the response that cross-site-guard.ts causes. */
export const CROSS_SITE_RESPONSE = "Requests from other sites' pages are refused.";
/** A clause, after which the response can say more. */
export const PASSWORD_REQUIRED_RESPONSE =
  'The password was entered more than 10 minutes ago: call POST /users/confirm/password first';

/**
 * Returns the responses of a call for the API reference, from texts by status. Errors are plain
 * text; a successful response with a body has a schema in the route.
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

/**
 * Returns a function that describes the calls of a group for the API reference: with the name of the operation, a
 * summary, and texts by status as `openApiResponses` takes them.
 */
const detailWith =
  (tag: string, security: Record<string, string[]>[]) =>
  (operationId: string, summary: string, texts: Record<number, string> = {}) => ({
    detail: { operationId, summary, tags: [tag], security, ...openApiResponses(texts) },
  });

/** Describes calls that need a session. */
export const sessionDetail = (tag: string) => detailWith(tag, [{ session: [] }]);

/** Describes calls about a bucket, which need a session or its API key. */
export const bucketDetail = (tag: string) => detailWith(tag, [{ apiKey: [] }, { session: [] }]);

/** Describes calls that upload to a bucket, for which a write token of it is enough. */
export const uploadDetail = detailWith('Uploads', [
  { apiKey: [] },
  { session: [] },
  { writeToken: [] },
]);

/** Returns the successful response of a call that is text of these types, for the API reference. */
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
