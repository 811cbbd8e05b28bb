import { dereferenced } from './document-schemas.ts';

/** A schema of an OpenAPI 3.0 document. The types here have only what the reference shows. */
export type Schema = {
  type?: string;
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  nullable?: boolean;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
};

export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};

type Content = Record<string, { schema?: Schema; example?: unknown }>;
export type ResponseDescription = { description?: string; content?: Content };

type RawOperation = {
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content?: Content; required?: boolean };
  responses?: Record<string, ResponseDescription>;
  security?: Record<string, string[]>[];
};

type OpenApiDocument = {
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths?: Record<string, Record<string, RawOperation>>;
  components?: { securitySchemes?: Record<string, { description?: string }> };
};

export type Operation = {
  /** The anchor of the operation on the page. */
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  body: { type: string; schema: Schema; example: unknown } | null;
  responses: [status: string, answer: ResponseDescription][];
  failures: [status: string, description: string][];
  /** The credentials that authorise the call; empty for a public call. */
  security: { name: string; description: string }[];
};

export type Group = { name: string; description: string; operations: Operation[] };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const OTHERS = 'Other';
/** The content types to show where a body may have several, in order of preference. */
const BODY_TYPES = ['application/json', 'multipart/form-data'];

/**
 * Returns the operations of a document by tag: first the tags that the document lists, then the
 * others. Throws where it is not an object.
 */
export function readDocument(document: unknown): { server: string | null; groups: Group[] } {
  if (typeof document !== 'object' || document === null) {
    throw new Error('The OpenAPI document is not an object.');
  }
  const { servers, tags = [], paths = {}, components } = dereferenced(document as OpenApiDocument);
  const schemes = components?.securitySchemes ?? {};
  const groups = new Map<string, Group>();
  const groupOf = (name: string, description = '') => {
    const group = groups.get(name) ?? { name, description, operations: [] };
    groups.set(name, group);
    return group;
  };
  for (const { name, description } of tags) groupOf(name, description);
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of METHODS) {
      const operation = methods[method];
      if (!operation) continue;
      const security = (operation.security ?? []).flatMap((one) => Object.keys(one));
      groupOf(operation.tags?.[0] ?? OTHERS).operations.push({
        ...readOperation(path.replace(/(?<=.)\/$/, ''), method, operation),
        security: security.map((name) => ({
          name,
          description: schemes[name]?.description ?? name,
        })),
      });
    }
  }
  return {
    server: servers?.[0]?.url ?? null,
    groups: [...groups.values()].filter(({ operations }) => operations.length > 0),
  };
}

function readOperation(
  path: string,
  method: string,
  raw: RawOperation,
): Omit<Operation, 'security'> {
  const responses = Object.entries(raw.responses ?? {});
  const isFailure = ([status]: [string, unknown]) => Number(status) >= 400;
  return {
    id: `${method}${path}`.replace(/[^A-Za-z0-9]+/g, '-').replace(/-$/, ''),
    method: method.toUpperCase(),
    path,
    summary: raw.summary ?? '',
    description: raw.description ?? '',
    parameters: raw.parameters ?? [],
    body: readBody(raw.requestBody?.content ?? {}),
    responses: responses.filter((one) => !isFailure(one)),
    failures: responses
      .filter(isFailure)
      .map(([status, { description = '' }]) => [status, description]),
  };
}

function readBody(content: Content): Operation['body'] {
  const type = BODY_TYPES.find((one) => content[one]) ?? Object.keys(content)[0];
  const body = type === undefined ? undefined : content[type];
  if (type === undefined || !body?.schema) return null;
  return { type, schema: body.schema, example: body.example };
}
