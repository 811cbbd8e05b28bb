import type { ReactNode } from 'react';
import type { Highlight } from '../../web/code/highlight.ts';
import { LANGUAGES } from './code-samples.ts';
import { DocsNavigation, groupPath } from './docs-navigation.tsx';
import { GUIDE_GROUPS } from './guide-pages.ts';
import type { Group } from './openapi.ts';
import { Method, Operation } from './operation.tsx';

/** The start of the documentation: the pages of the guide, and a list of all calls. */
export function DocsHome({ groups }: { groups: Group[] }) {
  return (
    <Frame current="/docs">
      <h1 className="text-3xl font-semibold tracking-tight">Documentation</h1>
      <GuideIndex />
      <h2 id="reference" className="mt-14 scroll-mt-20 text-2xl font-semibold tracking-tight">
        API reference
      </h2>
      <p className="mt-3 max-w-2xl text-quiet">
        Requests and responses are JSON unless noted otherwise. Errors are human-readable plain
        text, with a machine-readable code in the header{' '}
        <code className="font-mono text-sm whitespace-nowrap">x-error-code</code>; a 429 says in{' '}
        <code className="font-mono text-sm whitespace-nowrap">Retry-After</code> how many seconds to
        wait. The OpenAPI document for tools:{' '}
        <a href="/docs/openapi.json" className="text-base-content underline">
          openapi.json
        </a>
        .
      </p>
      {groups.map((group) => (
        <section key={group.name} data-group className="mt-10">
          <h2 className="text-xl font-semibold">
            <a href={groupPath(group.name)} className="hover:underline">
              {group.name}
            </a>
          </h2>
          <p className="mt-1 text-quiet">{group.description}</p>
          <CallList group={group} />
        </section>
      ))}
      <NoMatch />
    </Frame>
  );
}

/** The calls of a group. islands/docs leads from the anchor of a call to the page that has it. */
const CallList = ({ group }: { group: Group }) => (
  <ul className="mt-3 border-t border-base-300 text-sm">
    {group.operations.map(({ id, method, path, summary }) => (
      <li
        key={id}
        id={id}
        data-operation={searchText(method, path, summary)}
        className="scroll-mt-20 border-b border-base-300"
      >
        <a
          href={`${groupPath(group.name)}#${id}`}
          data-call
          className="grid gap-x-4 gap-y-0.5 py-2 hover:bg-base-200 md:grid-cols-[3.5rem_1.2fr_1fr] md:items-baseline md:px-2"
        >
          <Method method={method} />
          <span className="font-mono text-xs leading-5 wrap-anywhere">{path}</span>
          <span className="text-quiet">{summary}</span>
        </a>
      </li>
    ))}
  </ul>
);

/** The calls of one group of the reference, with the samples of each. */
export function ApiGroup({
  server,
  group,
  highlight,
}: {
  server: string | null;
  group: Group;
  highlight: Highlight | null;
}) {
  const calls = group.operations.map(({ id, method, path, summary }) => (
    <a
      key={id}
      href={`#${id}`}
      data-operation={searchText(method, path, summary)}
      className="flex gap-2 rounded-md px-2.5 py-1 text-quiet hover:bg-base-200 hover:text-base-content"
    >
      <span className="w-11 shrink-0">
        <Method method={method} />
      </span>
      {summary}
    </a>
  ));
  return (
    <Frame
      current={groupPath(group.name)}
      calls={
        <div data-docs-calls className="max-lg:hidden">
          {calls}
        </div>
      }
    >
      <h1 className="text-3xl font-semibold tracking-tight">{group.name}</h1>
      <p className="mt-3 text-quiet">{group.description}</p>
      <LanguageChoice />
      {group.operations.map((operation) => (
        <Operation key={operation.id} operation={operation} server={server} highlight={highlight} />
      ))}
      <NoMatch />
    </Frame>
  );
}

/** What the search compares with a call. */
export const searchText = (method: string, path: string, summary: string) =>
  `${method} ${path} ${summary}`.toLowerCase();

/** A page of the reference, with the navigation at its left. */
const Frame = (frame: { current: string; calls?: ReactNode; children: ReactNode }) => (
  <div className="mx-auto max-w-page gap-10 px-4 pb-24 sm:px-6 lg:flex">
    <DocsNavigation current={frame.current}>{frame.calls}</DocsNavigation>
    <main id="main" className="group/samples min-w-0 grow pt-6 lg:pt-8">
      {frame.children}
    </main>
  </div>
);

const NoMatch = () => (
  <p hidden data-no-match className="mt-12 text-quiet">
    No calls match your search.
  </p>
);

/** The languages of the samples. Radio buttons and CSS switch all of them, without a script. */
function LanguageChoice() {
  return (
    <fieldset className="mt-6 -mb-px flex gap-1 border-b border-base-300">
      <legend className="sr-only">Language of the samples</legend>
      {LANGUAGES.map(({ language, label }, at) => (
        <label
          key={language}
          className="flex h-10 cursor-pointer items-center border-b-2 border-transparent px-3 text-sm font-medium text-quiet hover:text-base-content has-checked:border-primary has-checked:text-base-content has-focus-visible:outline-2 has-focus-visible:-outline-offset-4 has-focus-visible:outline-primary"
        >
          <input
            type="radio"
            name="sample"
            id={`sample-${language}`}
            value={language}
            defaultChecked={at === 0}
            className="sr-only"
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

/** The pages of the guide by what a reader wants to do. */
function GuideIndex() {
  return GUIDE_GROUPS.map(({ title, pages }) => (
    <section key={title} aria-labelledby={`guide-${title}`} className="mt-8">
      <h2 id={`guide-${title}`} className="font-semibold">
        {title}
      </h2>
      <div className="mt-3 grid grid-cols-2 gap-2 sm:gap-3 xl:grid-cols-3">
        {pages.map(({ slug, title, summary }) => (
          <a
            key={slug}
            href={`/docs/${slug}`}
            className="card px-3 py-2.5 hover:border-primary sm:p-4"
          >
            <span className="block font-medium">{title}</span>
            <span className="mt-1 hidden text-sm text-pretty text-quiet sm:block">{summary}</span>
          </a>
        ))}
      </div>
    </section>
  ));
}
