/** What whoever runs the program can put right: said in one line each, without a stack. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}
