import type { Operation, Parameter, Schema } from './openapi.ts';
import { choicesOf, variantsOf } from './schema-text.ts';

/** The placeholders of the tokens and keys that authorise a call. */
const AUTHORITIES: Record<string, string> = { session: 'SESSION' };
const API_KEY = 'API_KEY';
/** The placeholder of the server's URL, if the document does not contain it. */
const ANYWHERE = '$WHARF_URL';

/** Returns an example value for a schema, which readers replace by their own. */
export function exampleOf(schema: Schema, name = ''): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  const [choice] = choicesOf(schema);
  if (choice !== undefined) return choice;
  const [variant] = variantsOf(schema);
  if (variant) return exampleOf(variant, name);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, value]) => [key, exampleOf(value, key)]),
      );
    case 'array':
      return [exampleOf(schema.items ?? {}, name)];
    case 'integer':
    case 'number':
      return schema.minimum === 100_000 ? 123_456 : (schema.minimum ?? 0);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return name === 'email' ? 'ana@example.com' : (name || 'text').toUpperCase();
  }
}

/** A call with example values, which the samples of all languages are written from. */
export type ExampleRequest = {
  method: string;
  url: string;
  /** The placeholder of the token or key, without a sign of a language; null for a public call. */
  bearer: string | null;
  headers: [name: string, value: string][];
  body:
    | { kind: 'form'; fields: { name: string; value: string; isFile: boolean }[] }
    | { kind: 'file'; type: string }
    | { kind: 'json'; value: unknown }
    | null;
};

/** The name of the file that samples send. */
export const EXAMPLE_FILE = 'FILE';

export function requestOf(operation: Operation, server: string | null): ExampleRequest {
  const { method, security, parameters } = operation;
  const [authority] = security;
  // A checksum fits one body only, so the example has only the required headers.
  const headers = parameters.filter((one) => one.in === 'header' && one.required);
  return {
    method,
    url: urlOf(operation, server),
    bearer: authority ? (AUTHORITIES[authority.name] ?? API_KEY) : null,
    headers: headers.map(({ name, schema = {} }) => [name, String(exampleOf(schema, name))]),
    body: bodyOf(operation),
  };
}

function bodyOf({ body }: Operation): ExampleRequest['body'] {
  if (!body) return null;
  if (body.type === 'multipart/form-data') {
    const fields = Object.entries(body.schema.properties ?? {}).map(([name, schema]) => {
      const isFile = schema.format === 'binary';
      return { name, isFile, value: isFile ? EXAMPLE_FILE : String(exampleOf(schema, name)) };
    });
    return { kind: 'form', fields };
  }
  if (body.schema.format === 'binary') return { kind: 'file', type: body.type };
  return { kind: 'json', value: body.example ?? exampleOf(body.schema) };
}

/**
 * Returns a curl command for a call as lines, which are joined with ` \` and a line break: the URL, the headers, the
 * body. The commands of the guide and the dashboard have the same form.
 */
export function curlLines(operation: Operation, server: string | null): string[] {
  const { method, url, bearer, headers, body } = requestOf(operation, server);
  const isEmptyForm = body?.kind === 'form' && body.fields.length === 0;
  // curl sends a body by POST, and what has none by GET.
  const usual = body && !isEmptyForm ? 'POST' : 'GET';
  const lines = [`curl ${method === usual ? '' : `-X ${method} `}"${url}"`];
  if (bearer) lines.push(`-H "Authorization: Bearer $${bearer}"`);
  for (const [name, value] of headers) lines.push(`-H '${name}: ${value}'`);
  if (body?.kind === 'form') {
    for (const { name, value, isFile } of body.fields) {
      lines.push(`-F ${name}=${isFile ? '@' : ''}${value}`);
    }
  } else if (body?.kind === 'file') {
    lines.push(`-H 'Content-Type: ${body.type}'`, `--data-binary @${EXAMPLE_FILE}`);
  } else if (body) {
    const json = JSON.stringify(body.value).replaceAll("'", "'\\''");
    lines.push("-H 'Content-Type: application/json'", `-d '${json}'`);
  }
  return lines;
}

function urlOf({ path, parameters }: Operation, server: string | null): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return String(exampleOf(parameter?.schema ?? {}, name));
  });
  const query = parameters.filter((one) => one.in === 'query' && one.required).map(queryPart);
  return `${server ?? ANYWHERE}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

const queryPart = ({ name, schema = {} }: Parameter) =>
  `${name}=${encodeURIComponent(String(exampleOf(schema, name)))}`;
