import type { AnyElysia } from 'elysia';
import { ERROR_CODES } from '../../contract/failure.ts';
import { DocumentSchemas } from './document-schemas.ts';

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
/** The mark of TypeBox on an optional schema. */
const OPTIONAL = Symbol.for('TypeBox.Optional');

const FAILURE = 400;
const TOO_MANY = '429';

const ERROR_SCHEMAS = {
  ErrorText: {
    type: 'string',
    description:
      'A sentence for people that says what went wrong. The header x-error-code has the code for programs.',
    example: 'File not found.',
  },
  ErrorCode: { type: 'string', enum: ERROR_CODES, description: 'What went wrong, for programs.' },
};
const ERROR_CONTENT = { 'text/plain': { schema: { $ref: '#/components/schemas/ErrorText' } } };
const HEADERS = {
  'x-error-code': {
    description: 'What went wrong, for programs.',
    schema: { $ref: '#/components/schemas/ErrorCode' },
  },
  'Retry-After': {
    description: 'The seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 1 },
  },
};
const header = (name: keyof typeof HEADERS) => ({
  [name]: { $ref: `#/components/headers/${name}` },
});

/** The groups of calls in the order of the reference: what programs call comes first. */
export const API_GROUPS = [
  { name: 'Uploads', description: 'With a session, an API key or a write token.' },
  { name: 'Files' },
  { name: 'Tokens', description: 'For private files and uploads from a browser.' },
  { name: 'Buckets' },
  { name: 'S3' },
  {
    name: 'Webhooks',
    description: 'Deliveries signed with Standard Webhooks, and their status.',
  },
  { name: 'Accounts', description: 'Sign up, log in, recover.' },
  { name: 'Profile', description: 'Manage your own account.' },
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
  const { paths } = toOpenAPISchema(
    app,
    { methods: ['options', 'head'] },
    undefined,
    undefined,
    VERSION,
  );
  const schemas = new DocumentSchemas();
  const described = schemas.tidy(describedPaths(app, paths as Paths));
  return {
    openapi: VERSION,
    info: {
      title: 'Wharf',
      version: options.version,
      description:
        'Errors are human-readable plain text; the x-error-code header has a machine-readable code.',
    },
    servers: [{ url: options.appUrl }],
    tags: API_GROUPS,
    paths: described,
    components: {
      schemas: { ...Object.fromEntries(schemas.named), ...ERROR_SCHEMAS },
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
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
      const {
        requestBody = operation.requestBody,
        responses,
        parameters = [],
      } = declared.get(`${method} ${path}`) ?? {};
      const inPathAndQuery = (operation.parameters ?? []).filter((one) => !isHeader(one));
      const merged = {
        ...operation,
        ...(requestBody ? { requestBody } : {}),
        parameters: [...inPathAndQuery, ...parameters],
        responses: { ...operation.responses, ...responses },
      };
      described[path][method] = { ...merged, responses: responsesOf(`${method} ${path}`, merged) };
    }
  }
  return described;
}

const isHeader = (parameter: unknown) => (parameter as { in?: string }).in === 'header';

type Declared = Pick<Operation, 'requestBody' | 'responses' | 'parameters'>;

/**
 * Returns what the generator leaves out, by 'method path': the bodies of routes with a guard, the
 * descriptions of enumerations in responses, the texts of responses where a route has a schema, and
 * headers. A schema may name the type of its form as `contentType`.
 */
function declaredParts(app: AnyElysia): Map<string, Declared> {
  const declaredByCall = new Map<string, Declared>();
  for (const { method, path, hooks } of app.routes) {
    const schema = hooks?.body as { contentType?: string } | undefined;
    const { responses = {}, parameters = [] } = (hooks?.detail ?? {}) as Declared;
    const required = !(schema && OPTIONAL in schema);
    const content = schema && { [schema.contentType ?? 'application/json']: { schema } };
    declaredByCall.set(`${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`, {
      ...(content && { requestBody: { required, content } }),
      responses: { ...schemaResponses(hooks?.response), ...responses },
      parameters: parameters.filter(isHeader),
    });
  }
  return declaredByCall;
}

/** Returns the responses with a schema in the route, which has one for 200 or some by status. */
function schemaResponses(response: unknown): Record<string, unknown> {
  if (typeof response !== 'object' || response === null) return {};
  const isSchema = 'type' in response || 'anyOf' in response;
  return Object.fromEntries(
    Object.entries(isSchema ? { 200: response } : response).map(([status, schema]) => [
      status,
      {
        description: `Response for status ${status}`,
        content: { 'application/json': { schema } },
      },
    ]),
  );
}

/** Returns the responses of a call. Its own texts replace those that all calls have. */
function responsesOf(call: string, operation: Operation) {
  const { responses = {}, security, parameters, requestBody } = operation;
  const all = {
    ...(security && {
      401: { description: 'No valid session, API key or token was sent.' },
      404: { description: "It does not exist, or you don't have access to it." },
    }),
    ...(requestBody ? { 400: { description: 'The body could not be read.' } } : {}),
    ...(parameters?.length || requestBody
      ? { 422: { description: 'A value is missing or not valid.' } }
      : {}),
    429: { description: 'Too many requests. Retry-After has the seconds to wait.' },
    ...(requestBody ? BODY_ERRORS : {}),
    ...authorityErrors(call, security ?? []),
    500: { description: 'An unexpected error. It is in the log of the server.' },
    503: { description: 'Something that the server needs is unavailable. Try again later.' },
    ...responses,
  };
  return Object.fromEntries(
    Object.entries(all).map(([status, response]) => [
      status,
      Number(status) < FAILURE ? response : errorResponse(status, response as Response),
    ]),
  );
}

const BODY_ERRORS = {
  411: { description: 'The Content-Length header is required.' },
  413: { description: 'The body is too large.' },
};
const UPLOAD_ERRORS = {
  402: { description: "The account's balance is below zero." },
  410: { description: 'The upload has expired, or its file has been deleted.' },
  413: { description: 'The file is larger than the limit.' },
  415: { description: 'The type of the file or of the body is not supported.' },
  507: { description: 'The storage is full. Nothing was saved.' },
};

/** Returns the errors that follow from what a call needs, and from whether it changes anything. */
function authorityErrors(call: string, security: Record<string, string[]>[]) {
  const takes = (name: string) => security.some((one) => name in one);
  const isChange = !call.startsWith('get ');
  const isAdmins = call.includes(' /admin/');
  return {
    ...(isAdmins && { 403: { description: 'Only the admin may do this.' } }),
    ...(takes('apiKey') && {
      403: { description: 'The bucket is banned, or a limit is reached.' },
      409: { description: 'The bucket is being deleted, or the call contradicts its state.' },
    }),
    ...(isChange &&
      (isAdmins || call.includes('{bucketID}')) && {
        409: { description: 'It is being deleted, or the call contradicts its state.' },
      }),
    ...(isChange && !call.startsWith('delete ') && takes('writeToken') && UPLOAD_ERRORS),
  };
}

type Response = { description: string; content?: Record<string, unknown> };

/** Returns the response of an error. It is plain text, except that of the health check. */
function errorResponse(status: string, { description, content = {} }: Response) {
  if ('application/json' in content) return { description, content };
  return {
    description,
    headers: { ...header('x-error-code'), ...(status === TOO_MANY && header('Retry-After')) },
    content: ERROR_CONTENT,
  };
}
