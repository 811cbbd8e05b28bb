import { join } from 'node:path';
import { ROOT } from '../server/program.ts';

export { ROOT };

/** The keys of a service that our files use. Any other key is taken for a typo. */
const SERVICE_KEYS = [
  'build',
  'cap_drop',
  'command',
  'depends_on',
  'environment',
  'healthcheck',
  'image',
  'init',
  'ports',
  'read_only',
  'restart',
  'security_opt',
  'stop_grace_period',
  'tmpfs',
  'volumes',
];

export type Service = {
  build?: string;
  image: string;
  command?: string[];
  environment?: Record<string, string | number | null>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  read_only?: boolean;
  init?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  restart?: string;
  stop_grace_period?: string;
};
export type Compose = { services: Record<string, Service>; volumes: Record<string, null> };

/**
 * Reads a `docker compose` file and fills in its variables from `values` or from the default in
 * `${NAME:-default}`. Throws if there is neither, and on unknown keys.
 */
export async function readCompose(name: string, values: Record<string, string> = {}) {
  const text = await Bun.file(join(ROOT, name)).text();
  const filled = text.replace(/\$\{(\w+)(:\?|:-([^}]*))\}/g, (match, variable, kind, usual) => {
    const value = values[variable] ?? (kind === ':?' ? undefined : usual);
    if (value === undefined) throw new Error(`${name}: there is no value for ${match}`);
    return value;
  });
  if (filled.includes('${')) throw new Error(`${name}: a variable is written in an unknown way`);
  const compose = Bun.YAML.parse(filled) as Compose;
  for (const [service, settings] of Object.entries(compose.services)) {
    const stranger = Object.keys(settings).find((key) => !SERVICE_KEYS.includes(key));
    if (stranger) throw new Error(`${name}: ${service} has an unknown key ${stranger}`);
  }
  return compose;
}
