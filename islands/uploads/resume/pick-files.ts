import { attachHandle, type FileHandle } from './file-handles.ts';

type Picker = (options: {
  multiple: boolean;
  types?: { accept: Record<string, string[]> }[];
}) => Promise<FileHandle[]>;

const pickerOf = (): Picker | undefined => Reflect.get(globalThis, 'showOpenFilePicker');

/** Returns whether the browser's picker gives handles, by which files can be read again after a reload. */
export const canPickHandles = (): boolean => typeof pickerOf() === 'function';

/**
 * Lets the user choose files, whose handles are kept. Returns none where the user cancels.
 * @param accept types and extensions, as in the attribute of an input; '' for any file
 */
export async function pickFiles(accept: string, multiple: boolean): Promise<File[]> {
  const types = accept === '' ? {} : { types: [{ accept: acceptOf(accept) }] };
  const picked = (await pickerOf()?.({ multiple, ...types }).catch(() => [])) ?? [];
  return Promise.all(
    picked.map(async (handle) => {
      const file = await handle.getFile();
      attachHandle(file, handle);
      return file;
    }),
  );
}

/** Returns types and extensions as the picker takes them: each extension belongs to the type before it. */
export function acceptOf(accept: string): Record<string, string[]> {
  const types: Record<string, string[]> = {};
  let last = '*/*';
  for (const part of accept.split(',')) {
    if (part.includes('/')) last = part;
    types[last] = [...(types[last] ?? []), ...(part.startsWith('.') ? [part] : [])];
  }
  return types;
}

/**
 * Keeps the handles of dropped files. It has to be called during the event, after which the browser forgets what was
 * dropped.
 */
export function keepDroppedHandles(transfer: DataTransfer | null, files: readonly File[]): void {
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === 'file');
  for (const [at, item] of items.entries()) {
    const get: (() => Promise<FileHandle | null>) | undefined = Reflect.get(
      item,
      'getAsFileSystemHandle',
    );
    const file = files[at];
    if (!get || !file) continue;
    void get.call(item).then(
      (handle) => {
        if (handle?.kind === 'file' && handle.name === file.name) attachHandle(file, handle);
      },
      () => {
        // Without a handle the file has to be chosen again after a reload.
      },
    );
  }
}
