import type { Schema } from '../../../server/features/docs/openapi.ts';

export type ReferenceCall = {
  /** Such as 'POST /users/login'. */
  name: string;
  method: string;
  path: string;
  /** Names of what may authorise it; empty where nothing is needed. */
  authorities: string[];
  parameters: { name: string; in: string; schema?: Schema }[];
  /** The schema of its JSON body, where it takes one. */
  body: Schema | null;
  /** What it may answer, by the reference. */
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

/** Every call that a running server's own reference names. */
export async function callsOf(url: string): Promise<ReferenceCall[]> {
  const { paths } = (await (await fetch(`${url}/docs/openapi.json`)).json()) as Document;
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
