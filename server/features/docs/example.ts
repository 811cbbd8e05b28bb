import type { Operation, Parameter, Schema } from './openapi.ts';
import { choicesOf, variantsOf } from './schema-text.ts';

/** The placeholders of the tokens and keys that authorise a call. */
const AUTHORITIES: Record<string, string> = { session: '$TOKEN' };
const API_KEY = '$API_KEY';
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

/** Returns a curl command for a call as lines, which are joined with ` \` and a line break. */
export function curlLines(operation: Operation, server: string | null): string[] {
  const { method, body, security, parameters } = operation;
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"${urlOf(operation, server)}"`];
  const [authority] = security;
  if (authority) {
    lines.push(`-H "Authorization: Bearer ${AUTHORITIES[authority.name] ?? API_KEY}"`);
  }
  // A checksum fits one body only, so the example has only the required headers.
  const headers = parameters.filter((one) => one.in === 'header' && one.required);
  for (const { name, schema = {} } of headers) {
    lines.push(`-H '${name}: ${exampleOf(schema, name)}'`);
  }
  if (body?.type === 'multipart/form-data') {
    for (const [name, schema] of Object.entries(body.schema.properties ?? {})) {
      lines.push(`-F ${name}=${schema.format === 'binary' ? '@FILE' : exampleOf(schema, name)}`);
    }
  } else if (body?.schema.format === 'binary') {
    lines.push(`-H 'Content-Type: ${body.type}'`, '--data-binary @FILE');
  } else if (body) {
    const value = body.example ?? exampleOf(body.schema);
    lines.push(
      "-H 'Content-Type: application/json'",
      `-d '${JSON.stringify(value).replaceAll("'", "'\\''")}'`,
    );
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
