/** Parses Stripe's form encoding, such as `a[b][0][c]=d`, into nested objects of strings. */
export function unform(body: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(body)) {
    const path = name.replaceAll(']', '').split('[');
    const last = path.pop() ?? '';
    let at = root;
    for (const part of path) {
      at[part] ??= {};
      at = at[part] as Record<string, unknown>;
    }
    at[last] = value;
  }
  return root;
}

/** Returns the value at a path such as 'line_items.0.price_data.unit_amount'. */
export function pick(root: unknown, path: string): string | undefined {
  let at: unknown = root;
  for (const part of path.split('.')) at = (at as Record<string, unknown> | undefined)?.[part];
  return typeof at === 'string' ? at : undefined;
}
