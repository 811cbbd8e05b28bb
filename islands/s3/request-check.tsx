import { useMutation } from '@tanstack/react-query';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleX from 'lucide-react/icons/circle-x';
import { useState } from 'react';
import { S3_DIAGNOSIS_MAX_LENGTH } from '../../server/contract/limits.ts';
import { call } from '../runtime/api.ts';
import { Button } from '../ui/form/button.tsx';
import { Field } from '../ui/form/field.tsx';
import { useFormError } from '../ui/form/form-error.ts';
import { Panel } from '../ui/panel.tsx';

/** Takes a request that a client was refused, and says what is wrong with it. */
export function RequestCheck() {
  const [text, setText] = useState('');
  const check = useMutation({
    mutationFn: (request: string) => call('POST /s3-keys/diagnosis', { body: { request } }),
  });
  const { error, clear } = useFormError(check);
  return (
    <Panel
      title="Check a request"
      text="Find out why a client gets SignatureDoesNotMatch or AccessDenied. The request is only checked, not run."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          check.mutate(text);
        }}
      >
        <Field
          label="Request"
          help="A curl command, the lines of an HTTP request with its headers, or a presigned URL."
          error={error}
        >
          {(described) => (
            <textarea
              {...described}
              className={`textarea w-full font-mono text-xs ${error ? 'textarea-error' : ''}`}
              rows={6}
              required
              spellCheck={false}
              autoComplete="off"
              maxLength={S3_DIAGNOSIS_MAX_LENGTH}
              value={text}
              onChange={(event) => {
                clear();
                setText(event.target.value);
              }}
            />
          )}
        </Field>
        <Button type="submit" className="self-start" pending={check.isPending}>
          Check request
        </Button>
      </form>
      <ul aria-live="polite" className="mt-4 flex flex-col gap-2 empty:hidden">
        {check.data?.findings.map((finding) => (
          <Finding key={finding.text} {...finding} />
        ))}
      </ul>
    </Panel>
  );
}

function Finding({ ok, text }: { ok: boolean; text: string }) {
  const Icon = ok ? CircleCheck : CircleX;
  return (
    <li className="flex items-start gap-2">
      <Icon
        size={16}
        aria-label={ok ? 'OK' : 'Problem'}
        className={`mt-0.5 shrink-0 ${ok ? 'text-success' : 'text-error'}`}
      />
      <span className="min-w-0 wrap-anywhere">{text}</span>
    </li>
  );
}
