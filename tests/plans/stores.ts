import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
/**
 * Stores contain SQL, and other modules don't (`npm run check`). These are stores of objects, and those of
 * commands that copy or look at everything once.
 */
const NOT_CHECKED =
  /\/(routed|spooled|data)-store\.ts$|^server\/cli\/(backup|doctor|migrate-database)\//;

export type StoreFunction = {
  /** The path of the module below server/ and the name of the function. */
  name: string;
  /** Calls it. `values` are its arguments, and those of the constructor of its class. */
  call: (...values: unknown[]) => unknown;
};

/** Returns all exported functions, and all methods of exported classes, of all modules with SQL. */
export async function storeFunctions(): Promise<StoreFunction[]> {
  const paths = [...new Bun.Glob('server/**/{store,*-store}.ts').scanSync(ROOT)].filter(
    (path) => !NOT_CHECKED.test(path),
  );
  const modules = await Promise.all(
    paths.sort().map(async (path) => {
      const exported = (await import(join(ROOT, path))) as Record<string, unknown>;
      const name = path.replace(/^server\//, '');
      return Object.entries(exported).flatMap(([key, value]) =>
        functionsOf(`${name} ${key}`, value),
      );
    }),
  );
  return modules.flat();
}

function functionsOf(name: string, value: unknown): StoreFunction[] {
  if (typeof value !== 'function') return [];
  if (!isClass(value)) return [{ name, call: value as StoreFunction['call'] }];
  const { prototype } = value as unknown as { prototype: object };
  return Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([key, { value: method }]) => key !== 'constructor' && typeof method === 'function')
    .map(([key]) => ({
      name: `${name}.${key}`,
      call(...values) {
        const object = Reflect.construct(value, values) as Record<string, StoreFunction['call']>;
        return object[key]?.(...values);
      },
    }));
}

const isClass = (value: unknown) => /^class\b/.test(Function.prototype.toString.call(value));
