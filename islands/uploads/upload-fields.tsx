import type { ReactNode } from 'react';
import type { Access } from '../../server/contract/wire.ts';
import { Field } from '../ui/field.tsx';

export function FileField(props: {
  label: string;
  help: ReactNode;
  error?: string | null;
  accept: string;
  onFile: (file: File | null) => void;
}) {
  return (
    <Field label={props.label} help={props.help} error={props.error}>
      {(described) => (
        <input
          {...described}
          type="file"
          accept={props.accept}
          className="file-input w-full"
          onChange={(event) => props.onFile(event.target.files?.[0] ?? null)}
        />
      )}
    </Field>
  );
}

export function AccessField({
  value,
  onValue,
}: {
  value: Access;
  onValue: (value: Access) => void;
}) {
  return (
    <Field
      label="Access control"
      help={value === 'public' ? 'Anyone with the URL can open it.' : 'It opens with a token only.'}
    >
      {(described) => (
        <select
          {...described}
          className="select w-full"
          value={value}
          onChange={(event) => onValue(event.target.value === 'private' ? 'private' : 'public')}
        >
          <option value="public">Public</option>
          <option value="private">Private</option>
        </select>
      )}
    </Field>
  );
}
