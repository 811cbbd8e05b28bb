/**
 * A file that was chosen or dropped, as a browser with the File System Access API lets a page keep it, also beyond a
 * reload. TypeScript's library has no methods for permissions yet.
 */
export type FileHandle = FileSystemFileHandle & {
  queryPermission: (options: { mode: 'read' }) => Promise<PermissionState>;
  requestPermission: (options: { mode: 'read' }) => Promise<PermissionState>;
};

const DATABASE = 'uploads';
const STORE = 'file-handles';

/** The handles of files that were chosen on this page. */
const handles = new WeakMap<File, FileHandle>();

/** Keeps the handle of a file, for the case that its upload is interrupted. */
export function attachHandle(file: File, handle: FileHandle): void {
  handles.set(file, handle);
}

/** Stores the handle of a file, if the browser has given one, under the key of its resume entry. */
export async function storeHandle(key: string, file: File): Promise<void> {
  const handle = handles.get(file);
  if (handle) await withStore('readwrite', (store) => store.put(handle, key));
}

/** Returns the handle that was stored under a key; null without one. */
export const findHandle = async (key: string): Promise<FileHandle | null> =>
  (await withStore<FileHandle | undefined>('readonly', (store) => store.get(key))) ?? null;

export const deleteHandle = (key: string): Promise<unknown> =>
  withStore('readwrite', (store) => store.delete(key));

/** Deletes all handles but those of the given keys. */
export async function deleteOtherHandles(keys: ReadonlySet<string>): Promise<void> {
  const stored = await withStore('readonly', (store) => store.getAllKeys());
  for (const key of stored ?? []) if (!keys.has(String(key))) await deleteHandle(String(key));
}

/**
 * Returns the file of a handle; null where the file is gone or the browser does not let the page read it.
 * @param options.ask whether the browser may ask the user, which it does during a click only
 */
export async function openHandle(
  handle: FileHandle,
  { ask }: { ask: boolean },
): Promise<File | null> {
  try {
    const known = await handle.queryPermission({ mode: 'read' });
    const isAllowed =
      known === 'granted' ||
      (ask && (await handle.requestPermission({ mode: 'read' })) === 'granted');
    if (!isAllowed) return null;
    const file = await handle.getFile();
    attachHandle(file, handle);
    return file;
  } catch {
    return null;
  }
}

/** Makes one request to the store of handles. Returns null where the browser has no such database, or refuses it. */
async function withStore<Result>(
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result | null> {
  if (!globalThis.indexedDB) return null;
  try {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    const database = await settle(opening);
    try {
      return await settle(request(database.transaction(STORE, mode).objectStore(STORE)));
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}

const settle = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
