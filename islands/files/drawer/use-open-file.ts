import { openBy, useOpened } from '../../ui/use-opened.ts';

const NAME = 'file';

/** Opens a file's details. */
export const openFile = ({ id }: { id: string }) => openBy(NAME, id);

/** Which file's details are open. */
export function useOpenFile() {
  const { id, close } = useOpened(NAME);
  return { fileId: id, close };
}
