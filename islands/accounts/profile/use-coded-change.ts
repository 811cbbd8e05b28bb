import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

/**
 * A change that a mailed code confirms: the code is asked for, then typed in.
 * @returns `codeStep` is what PanelCode wants of it, null until the code is on its way
 */
export function useCodedChange({
  send,
  change,
  onChanged,
}: {
  /** Mails the code. */
  send: () => Promise<unknown>;
  change: (code: string) => Promise<unknown>;
  onChanged: () => Promise<unknown>;
}) {
  const [isAsked, setAsked] = useState(false);
  const request = useMutation({ mutationFn: send, onSuccess: () => setAsked(true) });
  const finish = useMutation({
    mutationFn: change,
    onSuccess: () => {
      setAsked(false);
      return onChanged();
    },
  });
  const onBack = () => {
    finish.reset();
    setAsked(false);
  };
  return { request, codeStep: isAsked ? { finish, send, onBack } : null };
}
