import { CopyButton } from '../../../islands/ui/copy-button.tsx';
import { CodeText } from '../../web/code/code-text.tsx';
import type { Highlight } from '../../web/code/highlight.ts';
import { UPLOAD_SAMPLES } from '../../web/samples.ts';
import { Section } from './section.tsx';

/** Which sample is shown: the radio button before it decides, so that no script is needed. */
const SHOWN: Record<string, string> = {
  sh: 'group-has-[#code-sh:checked]:flex',
  js: 'group-has-[#code-js:checked]:flex',
  python: 'group-has-[#code-python:checked]:flex',
  php: 'group-has-[#code-php:checked]:flex',
};

/** The upload in four languages, and the command that starts a server of one's own. */
export function CodeSection({ appUrl, highlight }: { appUrl: string; highlight: Highlight }) {
  return (
    <Section
      id="code"
      title="Your first upload in five minutes"
      text="Plain HTTP from any language: one request, and the file is safely stored and on its way."
      isRaised
    >
      <div className="mt-8 grid items-start gap-8 lg:grid-cols-[1.65fr_1fr]">
        <div className="group card min-w-0 overflow-hidden bg-base-100">
          <fieldset className="flex gap-1 overflow-x-auto border-b border-base-300 px-2">
            <legend className="sr-only">Language of the sample</legend>
            {UPLOAD_SAMPLES.map(({ language, label }, at) => (
              <label
                key={language}
                className="flex h-11 cursor-pointer items-center border-b-2 border-transparent px-3 text-sm font-medium text-quiet hover:text-base-content has-checked:border-primary has-checked:text-base-content has-focus-visible:outline-2 has-focus-visible:-outline-offset-4 has-focus-visible:outline-primary"
              >
                <input
                  type="radio"
                  name="code"
                  id={`code-${language}`}
                  defaultChecked={at === 0}
                  className="sr-only"
                />
                {label}
              </label>
            ))}
          </fieldset>
          {UPLOAD_SAMPLES.map(({ language, code }) => {
            const text = code.replaceAll('{APP_URL}', appUrl).trimEnd();
            return (
              <div
                key={language}
                className={`hidden items-start gap-2 p-2 pl-4 ${SHOWN[language]}`}
              >
                <pre className="min-w-0 grow py-2 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
                  <CodeText code={text} language={language} highlight={highlight} />
                </pre>
                <CopyButton text={text} label="Copy the sample" />
              </div>
            );
          })}
        </div>
        <SelfHosting />
      </div>
    </Section>
  );
}

const START = 'npm start';

function SelfHosting() {
  return (
    <div>
      <h3 className="font-semibold">Or host it yourself with one command</h3>
      <p className="mt-1.5 text-sm text-pretty text-quiet">
        In a clone of the source, this installs what is missing and serves Wharf with SQLite and a
        disk. There is a binary, a Docker image and a systemd unit too.
      </p>
      <div className="card mt-4 flex items-center gap-2 bg-base-100 py-1 pr-2 pl-4">
        <pre className="grow font-mono text-sm">
          <code>{START}</code>
        </pre>
        <CopyButton text={START} label="Copy the command" />
      </div>
      <a
        href="/docs/self-hosting"
        className="mt-4 inline-block text-sm font-medium underline hover:text-primary"
      >
        Read about self-hosting
      </a>
    </div>
  );
}
