/** Which rows of a list are selected, and the row from which a range is selected. */
export type Selection = { ids: ReadonlySet<string>; anchor: string | null };
export const NOTHING: Selection = { ids: new Set(), anchor: null };

/** Returns the selection after a row was selected, or was no more. */
export function toggled({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/**
 * Returns the selection of all rows between the anchor and a row.
 * @param from where the range begins if there is no anchor
 * @param order the ids of the rows in their order
 */
export function rangeTo(
  { anchor }: Selection,
  { from, to }: { from: string; to: string },
  order: readonly string[],
): Selection {
  const start = anchor !== null && order.includes(anchor) ? anchor : from;
  const [first = 0, last = 0] = [order.indexOf(start), order.indexOf(to)].sort((a, b) => a - b);
  return { ids: new Set(order.slice(Math.max(0, first), last + 1)), anchor: start };
}

/** Returns the selection of all rows. */
export const all = (order: readonly string[]): Selection => ({
  ids: new Set(order),
  anchor: order[0] ?? null,
});
