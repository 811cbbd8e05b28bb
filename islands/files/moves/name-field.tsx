import { useId, useRef, useState } from 'react';
import type { FileWire } from '../../../server/contract/wire.ts';
import { baseName, folderOf, nameProblem, stemLength } from './paths.ts';
import { useRename } from './use-move.ts';

/** The field in a row that renames a file: Enter and leaving the field do so, Escape doesn't. */
export function NameField({
  bucketId,
  file,
  onDone,
}: {
  bucketId: string;
  file: FileWire;
  onDone: () => void;
}) {
  const id = useId();
  const before = baseName(file.path);
  const [name, setName] = useState(before);
  const [problem, setProblem] = useState<string | null>(null);
  const isDone = useRef(false);
  const move = useRename(bucketId);

  const finish = () => {
    if (isDone.current) return;
    isDone.current = true;
    onDone();
  };
  const submit = () => {
    if (move.isPending || isDone.current) return;
    if (name === before) return finish();
    const wrong = nameProblem(name);
    setProblem(wrong);
    if (wrong !== null) return;
    move.mutate(
      { id: file.id, path: `${folderOf(file.path)}${name}` },
      {
        onSuccess: finish,
        onError: (error) => setProblem(error.message),
      },
    );
  };

  return (
    <span className="relative min-w-0 grow max-md:z-2 max-md:w-full max-md:pr-9">
      <input
        ref={select}
        type="text"
        aria-label={`New name of ${before}`}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? id : undefined}
        className={`input h-8 w-full px-2 ${problem ? 'input-error' : ''}`}
        value={name}
        readOnly={move.isPending}
        onChange={(event) => {
          setName(event.target.value);
          setProblem(null);
        }}
        onBlur={submit}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          if (event.key === 'Enter') submit();
          else finish();
        }}
      />
      {problem && (
        <span id={id} role="alert" className="sr-only">
          {problem}
        </span>
      )}
    </span>
  );
}

/** Selects the name up to its extension. */
function select(input: HTMLInputElement | null) {
  if (!input || input === document.activeElement) return;
  input.focus({ preventScroll: true });
  input.setSelectionRange(0, stemLength(input.value));
}
