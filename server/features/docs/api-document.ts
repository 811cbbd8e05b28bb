import type { AnyElysia } from 'elysia';

type Operation = {
  summary?: string;
  security?: Record<string, string[]>[];
  parameters?: unknown[];
  requestBody?: unknown;
  responses?: Record<string, unknown>;
};

/** The operations by path, then by method. */
type Paths = Record<string, Record<string, Operation>>;

const VERSION = '3.0.4';

const text = (description: string) => ({
  description,
  content: {
    'text/plain': { schema: { type: 'string', description: 'A human-readable message.' } },
  },
});

const TAGS = [
  { name: 'Accounts', description: 'Sign up, log in, recover.' },
  { name: 'Profile', description: 'Manage your own account.' },
  { name: 'Buckets' },
  {
    name: 'Webhooks',
    description: 'Deliveries signed with Standard Webhooks, and their status.',
  },
  { name: 'Uploads', description: 'With a session, an API key or a write token.' },
  { name: 'Files' },
  { name: 'Tokens', description: 'For private files and uploads from a browser.' },
  { name: 'Payments', description: 'Buy credit by card or crypto.' },
  { name: 'Billing', description: 'Balance, costs and statements, in USD.' },
  { name: 'Admin', description: 'Requires a session of ADMIN_EMAIL.' },
  { name: 'Server' },
];

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description });
const SECURITY_SCHEMES = {
  session: bearer('A session token.'),
  apiKey: bearer("The bucket's API key. Also accepted as x-api-key."),
  metrics: bearer('METRICS_TOKEN.'),
  writeToken: bearer('A write token of the bucket.'),
};

/**
 * Returns the OpenAPI 3.0 document of every call that has a summary, which pages have not. It adds
 * the errors that any call may respond with, so that no route repeats them.
 */
export async function apiDocument(app: AnyElysia, options: { appUrl: string; version: string }) {
  // The library is large and only the reference needs it, so it is loaded with the first request.
  const { toOpenAPISchema } = await import('@elysiajs/openapi');
  const { paths, components } = toOpenAPISchema(
    app,
    { methods: ['options', 'head'] },
    undefined,
    undefined,
    VERSION,
  );
  return {
    openapi: VERSION,
    info: {
      title: 'Wharf',
      version: options.version,
      description:
        'Errors are human-readable plain text; the x-error-code header has a machine-readable code.',
    },
    servers: [{ url: options.appUrl }],
    tags: TAGS,
    paths: describedPaths(app, paths as Paths),
    components: { ...(components as object), securitySchemes: SECURITY_SCHEMES },
  };
}

/** Returns the calls that have a summary, each with its request and all of its responses. */
function describedPaths(app: AnyElysia, paths: Paths): Paths {
  const declared = declaredParts(app);
  const described: Paths = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!operation.summary) continue;
      described[path] ??= {};
      const { requestBody = operation.requestBody, responses } =
        declared.get(`${method} ${path}`) ?? {};
      const merged = {
        ...operation,
        ...(requestBody ? { requestBody } : {}),
        responses: { ...operation.responses, ...responses },
      };
      described[path][method] = { ...merged, responses: responsesOf(merged) };
    }
  }
  return described;
}

/**
 * Returns what the generator leaves out, by 'method path': the bodies of routes with a guard, and
 * the texts of responses where a route has a schema. A schema may name the type of its form as
 * `contentType`.
 */
function declaredParts(app: AnyElysia): Map<string, Pick<Operation, 'requestBody' | 'responses'>> {
  const declaredByCall = new Map<string, Pick<Operation, 'requestBody' | 'responses'>>();
  for (const { method, path, hooks } of app.routes) {
    const schema = hooks?.body as { contentType?: string } | undefined;
    const { responses } = (hooks?.detail ?? {}) as Pick<Operation, 'responses'>;
    const content = schema && { [schema.contentType ?? 'application/json']: { schema } };
    declaredByCall.set(`${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`, {
      ...(content && { requestBody: { required: true, content } }),
      ...(responses && { responses }),
    });
  }
  return declaredByCall;
}

/** Returns the responses of a call. Its own texts replace those that all calls have. */
function responsesOf({ responses = {}, security, parameters, requestBody }: Operation) {
  return {
    ...(security && {
      401: text('No valid session, API key or token was sent.'),
      404: text("It does not exist, or you don't have access to it."),
    }),
    ...(requestBody ? { 400: text('The body could not be read.') } : {}),
    ...(parameters?.length || requestBody ? { 422: text('A value is missing or not valid.') } : {}),
    429: text('Too many requests. Retry-After has the seconds to wait.'),
    ...responses,
  };
}
