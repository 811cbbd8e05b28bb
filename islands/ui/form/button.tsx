import type { ComponentProps } from 'react';
import { useSingleAction } from './single-action.ts';

type Props = ComponentProps<'button'> & {
  /** Whether the button's action is running: it shows a spinner and ignores clicks. */
  pending?: boolean;
};

/**
 * A button that shows when its action is pending. It is no submit button by default. While pending it
 * is not `disabled`, because it would lose the focus. It prevents the click instead, and with it the
 * submission of the form. A button without `pending` has no action that a second click could repeat.
 */
export function Button({ pending, onClick, className = '', children, ...rest }: Props) {
  const start = useSingleAction(pending ?? false);
  return (
    <button
      type="button"
      className={`btn ${className}`}
      aria-busy={pending || undefined}
      aria-disabled={pending || undefined}
      onClick={(event) => {
        if (pending === undefined || start()) onClick?.(event);
        else event.preventDefault();
      }}
      {...rest}
    >
      {pending && <span className="loading loading-spinner loading-xs" aria-hidden="true" />}
      {children}
    </button>
  );
}
