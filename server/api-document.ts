import type { AnyElysia } from 'elysia';

type Operation = {
  summary?: string;
  security?: Record<string, string[]>[];
  parameters?: unknown[];
  requestBody?: unknown;
  responses?: Record<string, unknown>;
};

const text = (description: string) => ({
  description,
  content: {
    'text/plain': { schema: { type: 'string', description: 'What happened, for a person.' } },
  },
});

/**
 * The OpenAPI 3.0 document of every call that has a summary; pages have none. What any call may
 * answer besides its own is added here, so that no route repeats it.
 */
export async function apiDocument(app: AnyElysia, options: { appUrl: string; version: string }) {
  // Half as much to load as all of the server's own framework: only who reads the reference needs it.
  const { toOpenAPISchema } = await import('@elysiajs/openapi');
  const { paths, components } = toOpenAPISchema(
    app,
    { methods: ['options', 'head'] },
    undefined,
    undefined,
    '3.0.4',
  );
  const bodies = bodiesOf(app);
  const described: Record<string, Record<string, Operation>> = {};
  for (const [path, methods] of Object.entries(
    paths as Record<string, Record<string, Operation>>,
  )) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!operation.summary) continue;
      described[path] ??= {};
      const requestBody = bodies.get(`${method} ${path}`) ?? operation.requestBody;
      const whole = { ...operation, ...(requestBody ? { requestBody } : {}) };
      described[path][method] = { ...whole, responses: answersOf(whole) };
    }
  }
  return {
    openapi: '3.0.4',
    info: {
      title: 'Wharf',
      version: options.version,
      description:
        'Errors are plain text for a person; the header x-error-code names them for a program.',
    },
    servers: [{ url: options.appUrl }],
    tags: [
      { name: 'Accounts', description: 'Sign up, log in, recover.' },
      { name: 'Profile', description: 'What users do with their own account.' },
      { name: 'Buckets' },
      {
        name: 'Webhooks',
        description: 'Signed deliveries by Standard Webhooks: what became of them.',
      },
      { name: 'Uploads', description: 'By session, API key or write token.' },
      { name: 'Files' },
      { name: 'Tokens', description: 'For private files, and for uploads from a browser.' },
      { name: 'Payments', description: 'Credit, bought by card or by crypto.' },
      { name: 'Billing', description: 'What there is, what it costs, what was paid. USD.' },
      { name: 'Admin', description: 'For the session of ADMIN_EMAIL alone.' },
      { name: 'Server' },
    ],
    paths: described,
    components: {
      ...(components as object),
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer', description: 'The token of a session.' },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: "A bucket's API key, or x-api-key.",
        },
        metrics: { type: 'http', scheme: 'bearer', description: 'METRICS_TOKEN.' },
        writeToken: { type: 'http', scheme: 'bearer', description: 'A write token of the bucket.' },
      },
    },
  };
}

/**
 * The bodies of the calls by 'method path'. The generator leaves out those of routes that check
 * who calls before the body is parsed; a schema may name its form's type as `contentType`.
 */
function bodiesOf(app: AnyElysia): Map<string, unknown> {
  const bodies = new Map<string, unknown>();
  for (const { method, path, hooks } of app.routes) {
    const schema = hooks?.body as { contentType?: string } | undefined;
    if (!schema) continue;
    const name = `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`;
    const content = { [schema.contentType ?? 'application/json']: { schema } };
    bodies.set(name, { required: true, content });
  }
  return bodies;
}

function answersOf({ responses = {}, security, parameters, requestBody }: Operation) {
  return {
    ...responses,
    ...(security && {
      401: text('Nobody is logged in, or the key or token is not valid.'),
      404: text('There is no such thing, or it is not yours.'),
    }),
    ...(parameters?.length || requestBody ? { 422: text('A value is missing or not valid.') } : {}),
    429: text('Too often; Retry-After says when to come back.'),
  };
}
