import { Fragment } from 'react';
import { LANGUAGES } from './code-samples.ts';
import { GUIDE_PAGES } from './guide-pages.ts';
import type { Group } from './openapi.ts';
import { Method, Operation } from './operation.tsx';
import { SearchField } from './search-field.tsx';

/** The API reference, with an index and a search at the left and every call at the right. */
export function Reference({ server, groups }: { server: string | null; groups: Group[] }) {
  return (
    <div className="mx-auto max-w-page gap-10 px-4 pb-24 sm:px-6 lg:flex">
      <Index groups={groups} />
      <main id="main" className="group/samples min-w-0 grow pt-6 lg:pt-8">
        <h1 className="text-3xl font-semibold tracking-tight">Documentation</h1>
        <GuideIndex />
        <h2 id="reference" className="mt-14 scroll-mt-20 text-2xl font-semibold tracking-tight">
          API reference
        </h2>
        <p className="mt-3 max-w-2xl text-quiet">
          Requests and responses are JSON unless noted otherwise. Errors are human-readable plain
          text, with a machine-readable code in the header{' '}
          <code className="font-mono text-sm whitespace-nowrap">x-error-code</code>; a 429 says in{' '}
          <code className="font-mono text-sm whitespace-nowrap">Retry-After</code> how many seconds
          to wait. The OpenAPI document for tools:{' '}
          <a href="/docs/openapi.json" className="text-base-content underline">
            openapi.json
          </a>
          .
        </p>
        <LanguageChoice />
        {groups.map((group) => (
          <section key={group.name} data-group className="mt-12">
            <h2 className="text-xl font-semibold">{group.name}</h2>
            <p className="mt-1 mb-6 text-quiet">{group.description}</p>
            {group.operations.map((operation) => (
              <Operation key={operation.id} operation={operation} server={server} />
            ))}
          </section>
        ))}
        <p hidden data-no-match className="mt-12 text-quiet">
          No calls match your search.
        </p>
      </main>
    </div>
  );
}

/** The languages of the samples. Radio buttons and CSS switch all of them, without a script. */
function LanguageChoice() {
  return (
    <fieldset className="mt-6 flex gap-1 border-b border-base-300">
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
            defaultChecked={at === 0}
            className="sr-only"
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

/** A path that breaks at a slash where it is too long for a line. */
const Path = ({ text }: { text: string }) =>
  [...text.matchAll(/\/[^/]*/g)].map(({ index, 0: part }) => (
    <Fragment key={index}>
      <wbr />
      {part}
    </Fragment>
  ));

function GuideIndex() {
  return (
    <nav aria-label="Guide" className="mt-6 grid grid-cols-2 gap-2 sm:gap-4 xl:grid-cols-3">
      {GUIDE_PAGES.map(({ slug, title, summary }) => (
        <a
          key={slug}
          href={`/docs/${slug}`}
          className="card px-3 py-2.5 hover:border-primary sm:p-4"
        >
          <span className="block font-medium">{title}</span>
          <span className="mt-1 hidden text-sm text-pretty text-quiet sm:block">{summary}</span>
        </a>
      ))}
    </nav>
  );
}

function Index({ groups }: { groups: Group[] }) {
  return (
    <aside className="pt-6 text-sm lg:sticky lg:top-14 lg:flex lg:h-[calc(100dvh-3.5rem)] lg:w-64 lg:shrink-0 lg:flex-col lg:pt-8">
      <SearchField />
      <nav aria-label="Calls" data-docs-calls className="mt-4 hidden overflow-y-auto pb-8 lg:block">
        {groups.map((group) => (
          <div key={group.name} data-group className="mb-4">
            <p className="px-2 pb-1 font-medium">{group.name}</p>
            {group.operations.map(({ id, method, path, summary }) => (
              <a
                key={id}
                href={`#${id}`}
                data-operation={`${method} ${path} ${summary}`.toLowerCase()}
                className="flex gap-2 rounded-md px-2 py-1 text-quiet hover:bg-base-200 hover:text-base-content"
              >
                <span className="w-12 shrink-0">
                  <Method method={method} />
                </span>
                <span className="min-w-0 font-mono text-xs leading-5 wrap-anywhere">
                  <Path text={path} />
                </span>
              </a>
            ))}
          </div>
        ))}
      </nav>
    </aside>
  );
}
