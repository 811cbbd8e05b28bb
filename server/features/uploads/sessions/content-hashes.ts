/** The hashes of the bytes of a file, in hexadecimal. */
export type ContentHashes = { sha256: string; md5: string };

/** Hashes the bytes of a file while they arrive. */
export class ContentHasher {
  private readonly hashes = {
    sha256: new Bun.CryptoHasher('sha256'),
    md5: new Bun.CryptoHasher('md5'),
  };

  update(bytes: Uint8Array): void {
    this.hashes.sha256.update(bytes);
    this.hashes.md5.update(bytes);
  }

  /** Returns the hashes of all bytes. It can be called once. */
  digest(): ContentHashes {
    return { sha256: this.hashes.sha256.digest('hex'), md5: this.hashes.md5.digest('hex') };
  }
}
