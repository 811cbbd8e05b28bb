/**
 * Goes on with a value at once where it is there already, and else when it is. So one way of steps serves
 * what is cached without a promise, and everything else.
 */
export const whenReady = <Value, Next>(
  value: Value | Promise<Value>,
  next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> => (value instanceof Promise ? value.then(next) : next(value));
