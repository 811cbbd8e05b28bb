import { dereferenced } from '../../../server/features/docs/document-schemas.ts';
import type { Schema } from '../../../server/features/docs/openapi.ts';

export type ReferenceCall = {
  /** A name such as 'POST /users/login'. */
  name: string;
  method: string;
  path: string;
  /** The names of its security schemes. A public call has none. */
  authorities: string[];
  parameters: { name: string; in: string; schema?: Schema }[];
  /** The schema of its JSON body, or null if it has none. */
  body: Schema | null;
  /** The statuses of its documented responses. */
  statuses: number[];
};

type Document = {
  paths: Record<
    string,
    Record<
      string,
      {
        security?: Record<string, string[]>[];
        parameters?: ReferenceCall['parameters'];
        responses: Record<string, unknown>;
        requestBody?: { content?: Record<string, { schema?: Schema }> };
      }
    >
  >;
};

/** Returns every call in the API reference of a running server. */
export async function callsOf(url: string): Promise<ReferenceCall[]> {
  const response = await fetch(`${url}/docs/openapi.json`);
  const { paths } = dereferenced((await response.json()) as Document);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { security = [], parameters = [], requestBody, responses }]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        authorities: security.flatMap((one) => Object.keys(one)),
        parameters,
        body: requestBody?.content?.['application/json']?.schema ?? null,
        statuses: Object.keys(responses).map(Number),
      }),
    ),
  );
}
