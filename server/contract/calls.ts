import type { Static, TSchema } from 'elysia';
import type { CALLS } from './schemas/calls.ts';

type Calls = typeof CALLS;

/** The name of a call: its method and whole path, such as 'GET /files/:bucketID'. */
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

/**
 * A part whose fields are all optional may be left out; a part that the call does not have must be.
 */
type Part<Key extends string, Value> = unknown extends Value
  ? Partial<Record<Key, undefined>>
  : Record<never, never> extends Value
    ? keyof Value extends never
      ? Partial<Record<Key, undefined>>
      : Partial<Record<Key, Value>>
    : Record<Key, Value>;

/** The input of a call: the parameters of its path, its query, its headers, and its body or form. */
export type CallInput<Name extends CallName> = Part<'params', Params<Name>> &
  Part<'query', Typed<Name, 'query'>> &
  Part<'headers', Typed<Name, 'headers'>> &
  Part<'body', Typed<Name, 'body'>> &
  Part<'form', Typed<Name, 'form'>> & {
    /** Ends the call, and with it what the server does for it. */
    signal?: AbortSignal;
  };

/** The response of a call; null where the call responds with 204. */
export type CallResponse<Name extends CallName> =
  Calls[Name] extends Record<'response', infer Schema extends TSchema> ? Static<Schema> : null;

/**
 * The arguments that follow a call's name. The input may be left out where all of its parts may be.
 */
export type CallArguments<Name extends CallName> =
  Record<never, never> extends CallInput<Name>
    ? [input?: CallInput<Name>]
    : [input: CallInput<Name>];
