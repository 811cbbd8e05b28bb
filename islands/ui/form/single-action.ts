import { useLayoutEffect, useRef } from 'react';

/**
 * Returns a function that says whether an action may start, and which refuses while it is running. A
 * second click of a double click can arrive before React has rendered the first one, so the answer
 * can't depend on what is rendered.
 * @param isPending whether the action is running, as it was rendered
 */
export function useSingleAction(isPending: boolean): () => boolean {
  const isStarted = useRef(false);
  const isRendered = useRef(isPending);
  useLayoutEffect(() => {
    isRendered.current = isPending;
    isStarted.current = isPending;
  }, [isPending]);

  return () => {
    if (isStarted.current) return false;
    isStarted.current = true;
    // react-query reports a mutation in a timer that starts after the outer one and before the inner
    // one. An action that is not pending by then has not started, such as that of an invalid form.
    setTimeout(() =>
      setTimeout(() => {
        isStarted.current = isRendered.current;
      }),
    );
    return true;
  };
}
