import type { ComponentProps } from 'react';

type Props = ComponentProps<'button'> & {
  /** Shows a spinner and ignores clicks. */
  pending?: boolean;
};

/**
 * A button that shows when its action is pending. It is no submit button by default. While pending it
 * is not `disabled`, because it would lose the focus. It prevents the click instead, and with it the
 * submission of the form.
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
