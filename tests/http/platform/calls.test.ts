import { afterAll, expect, test } from 'bun:test';
import { createApp } from '../../../server/app.ts';
import { CALLS } from '../../../server/contract/schemas/calls.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

type Schemas = {
  params?: unknown;
  query?: unknown;
  headers?: unknown;
  body?: unknown;
  response?: unknown;
};

const server = await startServerInProcess();
afterAll(() => server.stop());

const routes = new Map(
  createApp(server.services).routes.map(({ method, path, hooks }) => [
    `${method} ${path.replace(/\/$/, '')}`,
    hooks as Schemas,
  ]),
);

/** Returns the schema of the successful response, whatever its status. */
const success = (response: unknown) => {
  const byStatus = response as Record<number, unknown> | undefined;
  return byStatus?.[200] ?? byStatus?.[201] ?? byStatus?.[202] ?? response;
};

test.each(Object.entries(CALLS))(
  '%s is a route with the schemas that pages know it by',
  (name, schemas) => {
    const call: Schemas & { form?: unknown } = schemas;
    const route = routes.get(name);
    expect(route).toBeDefined();
    expect(route?.query).toBe(call.query);
    if (call.headers) expect(route?.headers).toBe(call.headers);
    expect(route?.body).toBe(call.form ?? call.body);
    expect(success(route?.response)).toBe(call.response);
    if (call.params) expect(route?.params).toBe(call.params);
  },
);
