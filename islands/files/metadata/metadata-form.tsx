import { useMutation, useQueryClient } from '@tanstack/react-query';
import Plus from 'lucide-react/icons/plus';
import X from 'lucide-react/icons/x';
import { useState } from 'react';
import type { FileDetailWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { notify } from '../../runtime/notify.ts';
import { Button } from '../../ui/form/button.tsx';
import { filesKey } from '../../uploads/shared.ts';
import { type MetadataText, textProblems, toMetadata } from './texts.ts';

/** Changes the metadata of a file. */
export function MetadataForm({
  bucketId,
  file,
  onDone,
}: {
  bucketId: string;
  file: FileDetailWire;
  onDone: () => void;
}) {
  const [texts, setTexts] = useState(() => textsOf(file.metadata));
  const [isChecked, setIsChecked] = useState(false);
  const problems = isChecked ? textProblems(texts) : new Map<number, string>();
  const save = useSaveMetadata(bucketId, file.id, onDone);
  const change = (id: number, part: Partial<MetadataText>) =>
    setTexts(texts.map((text) => (text.id === id ? { ...text, ...part } : text)));

  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        setIsChecked(true);
        if (textProblems(texts).size === 0) save.mutate(toMetadata(texts));
      }}
    >
      {texts.map((text, at) => (
        <MetadataRow
          key={text.id}
          text={text}
          label={`${at + 1}`}
          problem={problems.get(text.id)}
          onChange={(part) => change(text.id, part)}
          onRemove={() => setTexts(texts.filter(({ id }) => id !== text.id))}
        />
      ))}
      {save.error && (
        <p role="alert" className="text-xs text-error">
          {save.error.message}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button className="btn-sm" onClick={() => setTexts([...texts, nextText(texts)])}>
          <Plus size={16} aria-hidden />
          Add
        </Button>
        <Button type="submit" className="btn-sm btn-primary" pending={save.isPending}>
          Save Changes
        </Button>
        <Button className="btn-sm btn-ghost" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function MetadataRow({
  text,
  label,
  problem,
  onChange,
  onRemove,
}: {
  text: MetadataText;
  label: string;
  problem: string | undefined;
  onChange: (part: Partial<MetadataText>) => void;
  onRemove: () => void;
}) {
  const field = (key: 'name' | 'value', placeholder: string) => (
    <input
      type="text"
      className={`input h-8 min-w-0 ${problem && key === 'name' ? 'input-error' : ''}`}
      aria-label={`${placeholder} ${label}`}
      aria-invalid={problem && key === 'name' ? true : undefined}
      placeholder={placeholder}
      value={text[key]}
      onChange={(event) => onChange({ [key]: event.target.value })}
    />
  );
  return (
    <div>
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] gap-2">
        {field('name', 'Name')}
        {field('value', 'Value')}
        <Button
          className="btn-sm btn-square btn-ghost"
          aria-label={`Remove ${text.name || `text ${label}`}`}
          onClick={onRemove}
        >
          <X size={16} aria-hidden />
        </Button>
      </div>
      {problem && (
        <p role="alert" className="mt-1 text-xs text-error">
          {problem}
        </p>
      )}
    </div>
  );
}

const nextText = (texts: MetadataText[]): MetadataText => ({
  id: Math.max(-1, ...texts.map(({ id }) => id)) + 1,
  name: '',
  value: '',
});

/** A file without metadata has a first row to fill in. */
function textsOf(metadata: Record<string, string>): MetadataText[] {
  const texts = Object.entries(metadata).map(([name, value], id) => ({ id, name, value }));
  return texts.length > 0 ? texts : [nextText([])];
}

function useSaveMetadata(bucketId: string, fileId: string, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (metadata: Record<string, string>) =>
      call('PATCH /files/:bucketID/:fileID', {
        params: { bucketID: bucketId, fileID: fileId },
        body: { metadata },
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['file', bucketId, fileId] });
      notify.success('Metadata saved.');
      onDone();
    },
    onSettled: () => client.invalidateQueries({ queryKey: filesKey(bucketId) }),
  });
}
