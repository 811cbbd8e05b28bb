type Owner = { used: number; sizes: Map<string, number> };

/**
 * How much of a cache each owner has taken. Who has more than a share gives way first, so that nobody displaces what
 * others have, however much they have requested; an owner alone may fill the cache.
 */
export class OwnerShares {
  private readonly owners = new Map<string, Owner>();
  private readonly above = new Set<string>();

  /** @param share in the unit of the sizes that are added */
  constructor(private readonly share: number) {}

  add(ownerId: string, key: string, size: number): void {
    const owner = this.owners.get(ownerId) ?? { used: 0, sizes: new Map() };
    this.owners.set(ownerId, owner);
    owner.sizes.set(key, size);
    owner.used += size;
    if (owner.used > this.share) this.above.add(ownerId);
  }

  remove(ownerId: string, key: string): void {
    const owner = this.owners.get(ownerId);
    const size = owner?.sizes.get(key);
    if (!owner || size === undefined) return;
    owner.sizes.delete(key);
    owner.used -= size;
    if (owner.used <= this.share) this.above.delete(ownerId);
    if (owner.sizes.size === 0) this.owners.delete(ownerId);
  }

  /** Returns the oldest key of an owner that has more than a share; undefined where nobody has. */
  surplus(): string | undefined {
    for (const ownerId of this.above) {
      for (const key of this.owners.get(ownerId)?.sizes.keys() ?? []) return key;
    }
    return undefined;
  }
}
