import type { Static, TSchema } from 'elysia';
import type { CALLS } from './schemas/calls.ts';

type Calls = typeof CALLS;

/** A call by its method and its whole path, as 'GET /files/:bucketID'. */
export type CallName = keyof Calls;

type ParamNames<Path extends string> = Path extends `${infer Left}/${infer Right}`
  ? ParamNames<Left> | ParamNames<Right>
  : Path extends `:${infer Name}`
    ? Name
    : never;

type Typed<Name extends CallName, Part extends string> =
  Calls[Name] extends Record<Part, infer Schema extends TSchema> ? Static<Schema> : unknown;
type Params<Name extends CallName> =
  Calls[Name] extends Record<'params', TSchema>
    ? Typed<Name, 'params'>
    : Record<ParamNames<Name>, string>;

/** A part that nothing is required of may be left out, and one that the call has not is not there. */
type Part<Key extends string, Value> = unknown extends Value
  ? Partial<Record<Key, undefined>>
  : Record<never, never> extends Value
    ? keyof Value extends never
      ? Partial<Record<Key, undefined>>
      : Partial<Record<Key, Value>>
    : Record<Key, Value>;

/** What a call is given: the parameters of its path, its query, its body or form. */
export type CallInput<Name extends CallName> = Part<'params', Params<Name>> &
  Part<'query', Typed<Name, 'query'>> &
  Part<'body', Typed<Name, 'body'>> &
  Part<'form', Typed<Name, 'form'>>;

/** What a call answers: null where it answers 204. */
export type CallAnswer<Name extends CallName> =
  Calls[Name] extends Record<'response', infer Schema extends TSchema> ? Static<Schema> : null;

/** The arguments that belong to a call's name: none where all may be left out. */
export type CallArguments<Name extends CallName> =
  Record<never, never> extends CallInput<Name>
    ? [input?: CallInput<Name>]
    : [input: CallInput<Name>];
