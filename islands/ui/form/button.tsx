import type { ComponentProps } from 'react';

type Props = ComponentProps<'button'> & {
  /** Shows a spinner and can't be pressed. */
  pending?: boolean;
};

/**
 * A button that does its work visibly. Not a submit button unless it says so. While pending it is
 * not `disabled`, which would take the focus from whoever pressed it; it refuses the click, and with
 * it the form's submission.
 */
export function Button({ pending = false, onClick, className = '', children, ...rest }: Props) {
  return (
    <button
      type="button"
      className={`btn ${className}`}
      aria-busy={pending || undefined}
      aria-disabled={pending || undefined}
      onClick={(event) => {
        if (pending) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
    >
      {pending && <span className="loading loading-spinner loading-xs" aria-hidden="true" />}
      {children}
    </button>
  );
}
