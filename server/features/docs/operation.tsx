import ChevronDown from 'lucide-react/icons/chevron-down';
import { Fragment } from 'react';
import { CopyButton } from '../../../islands/ui/copy-button.tsx';
import { CodeText } from '../../web/code/code-text.tsx';
import type { Highlight } from '../../web/code/highlight.ts';
import { samplesOf } from './code-samples.ts';
import type { ResponseDescription, Operation as Shape } from './openapi.ts';
import { fieldsOf, limitsText, type Row, typeText } from './schema-text.ts';

/** The description that the generator writes where a route has none. */
const UNDESCRIBED = /^Response for status \d+$/;

/**
 * One call: its method, path and summary, and what opens below them. With scripts, the content of `noscript` is text,
 * of which islands/docs makes elements when the call is opened, as those of all calls would be thousands. Without
 * scripts they are elements from the start.
 */
export function Operation(props: {
  operation: Shape;
  server: string | null;
  highlight: Highlight | null;
}) {
  const { id, method, path, summary } = props.operation;
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      data-operation={`${method} ${path} ${summary}`.toLowerCase()}
      className="scroll-mt-20 border-b border-base-300"
    >
      <details data-call-details className="group/call">
        <summary className="-mx-2 flex cursor-pointer items-start gap-3 rounded-md px-2 py-4 hover:bg-base-200">
          <div className="min-w-0 grow">
            <h3 id={`${id}-title`} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              <Method method={method} />
              <span className="min-w-0 font-mono text-sm font-medium wrap-anywhere">{path}</span>
            </h3>
            {summary && <p className="mt-1">{summary}</p>}
          </div>
          <ChevronDown
            size={16}
            aria-hidden
            className="mt-1 shrink-0 text-quiet group-open/call:rotate-180"
          />
        </summary>
        <noscript>
          <Details {...props} />
        </noscript>
      </details>
    </section>
  );
}

/** What a call takes and answers, with its samples. */
function Details({
  operation,
  server,
  highlight,
}: {
  operation: Shape;
  server: string | null;
  highlight: Highlight | null;
}) {
  const { description, body, security } = operation;
  return (
    <div className="pt-1 pb-8">
      {description && <p className="text-quiet">{description}</p>}
      <div className="mt-5 grid gap-x-10 gap-y-6 xl:grid-cols-[1fr_1.1fr]">
        <div className="flex min-w-0 flex-col gap-6">
          <Lines
            caption="Authorization: Bearer"
            lines={security.map(({ name, description }) => [name, description])}
          />
          <Parameters operation={operation} location="path" caption="In the path" />
          <Parameters operation={operation} location="query" caption="In the query" />
          <Parameters operation={operation} location="header" caption="In the headers" />
          {body && <FieldsTable caption={`Body, ${body.type}`} rows={fieldsOf(body.schema)} />}
          <Responses responses={operation.responses} />
          <Lines caption="Errors" lines={operation.failures} />
        </div>
        <Samples operation={operation} server={server} highlight={highlight} />
      </div>
    </div>
  );
}

export function Method({ method }: { method: string }) {
  return (
    <span
      className={`font-mono text-xs font-semibold ${method === 'GET' ? 'text-success' : method === 'DELETE' ? 'text-error' : 'text-primary'}`}
    >
      {method}
    </span>
  );
}

function Parameters(props: { operation: Shape; location: string; caption: string }) {
  const rows = props.operation.parameters
    .filter((one) => one.in === props.location)
    .map(({ name, required = false, description, schema = {} }) => ({
      name,
      required,
      schema: { ...schema, description: description ?? schema.description },
    }));
  return rows.length > 0 && <FieldsTable caption={props.caption} rows={rows} />;
}

function Responses({ responses }: { responses: [string, ResponseDescription][] }) {
  return responses.map(([status, { description = '', content = {} }]) => {
    const [schema] = Object.values(content).flatMap((one) => one.schema ?? []);
    const rows = schema ? fieldsOf(schema) : [];
    const suffix = UNDESCRIBED.test(description) ? '' : `: ${description}`;
    const caption = `Response ${status}${suffix}`;
    if (rows.length > 0)
      return <FieldsTable key={status} caption={caption} rows={rows} isResponse />;
    return (
      <p key={status} className="text-sm font-medium">
        {caption}
        {schema && <span className="font-normal text-quiet"> {typeText(schema)}</span>}
      </p>
    );
  });
}

function Lines({ caption, lines }: { caption: string; lines: [string, string][] }) {
  return (
    lines.length > 0 && (
      <div className="text-sm">
        <p className="mb-1 font-medium">{caption}</p>
        <dl>
          {lines.map(([term, text]) => (
            <div key={term} className="flex border-t border-base-300 py-2">
              <dt className="w-2/5 shrink-0 pr-4 font-mono text-xs leading-5">{term}</dt>
              <dd className="text-quiet">{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    )
  );
}

/** The sample of each language. Only that of the language that is chosen above the calls is shown. */
const SHOWN: Record<string, string> = {
  curl: 'group-has-[#sample-curl:checked]/samples:block',
  js: 'group-has-[#sample-js:checked]/samples:block',
  python: 'group-has-[#sample-python:checked]/samples:block',
  php: 'group-has-[#sample-php:checked]/samples:block',
};

function Samples({
  operation,
  server,
  highlight,
}: {
  operation: Shape;
  server: string | null;
  highlight: Highlight | null;
}) {
  return (
    <div className="card relative min-w-0 self-start">
      {samplesOf(operation, server).map(({ language, code, copied }) => (
        <div key={language} className={`hidden ${SHOWN[language]}`}>
          <pre className="p-4 pr-12 font-mono text-xs leading-6 whitespace-pre-wrap wrap-anywhere">
            <CodeText code={code} language={language} highlight={highlight} />
          </pre>
          <div className="absolute top-2 right-2">
            <CopyButton text={copied} label="Copy the command" />
          </div>
        </div>
      ))}
    </div>
  );
}

/** A table of fields with their types, limits and meaning, and for a request which are required. */
function FieldsTable({
  caption,
  rows,
  isResponse = false,
}: {
  caption: string;
  rows: Row[];
  isResponse?: boolean;
}) {
  return (
    <table className="w-full text-left text-sm">
      <caption className="mb-1 text-left font-medium">{caption}</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, required, schema }) => (
          <tr key={name} className="border-t border-base-300 align-top">
            <th scope="row" className="w-2/5 py-2 pr-4 font-mono text-xs font-normal wrap-anywhere">
              <BreakableName name={name} />
              {required && !isResponse && (
                <span className="block font-sans text-primary">required</span>
              )}
            </th>
            <td className="py-2 wrap-anywhere">
              {[typeText(schema), limitsText(schema)].filter(Boolean).join(', ')}
              {schema.description && <span className="block text-quiet">{schema.description}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A name that a narrow column breaks after an underscore, and not in the middle of a word. */
const BreakableName = ({ name }: { name: string }) =>
  name.split(/(?<=_)/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name never change
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
