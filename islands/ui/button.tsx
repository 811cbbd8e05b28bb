import type { ComponentProps } from 'react';

type Props = ComponentProps<'button'> & {
  /** Shows a spinner and can't be pressed. */
  pending?: boolean;
};

/** A button that does its work visibly. Not a submit button unless it says so. */
export function Button({ pending = false, disabled, className = '', children, ...rest }: Props) {
  return (
    <button
      type="button"
      className={`btn ${className}`}
      disabled={disabled || pending}
      aria-busy={pending || undefined}
      {...rest}
    >
      {pending && <span className="loading loading-spinner loading-xs" aria-hidden="true" />}
      {children}
    </button>
  );
}
