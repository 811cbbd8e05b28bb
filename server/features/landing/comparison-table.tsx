import { COMPARED_ON, COMPARISON, PEERS } from './comparison.ts';
import { Section } from './section.tsx';

/** What others offer, with links to the pages that say so. It scrolls sideways on narrow screens. */
export function ComparisonTable() {
  return (
    <Section
      id="comparison"
      title="Know what you choose"
      text={`What others offer, according to their own pages in ${COMPARED_ON}.`}
    >
      <section
        aria-label="Comparison"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll the table by it
        tabIndex={0}
        className="card mt-8 overflow-x-auto"
      >
        <table className="w-full min-w-4xl text-left text-sm">
          <thead>
            <tr className="bg-base-200">
              <td className="px-4 py-3" />
              <th scope="col" className="px-4 py-3 font-semibold">
                Wharf
              </th>
              {PEERS.map(({ name, url }) => (
                <th key={name} scope="col" className="px-4 py-3 font-semibold">
                  <a href={url} rel="noreferrer" className="underline hover:text-primary">
                    {name}
                  </a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {COMPARISON.map(({ label, cells: [own, ...others] }) => (
              <tr key={label} className="border-t border-base-300 align-top">
                <th scope="row" className="px-4 py-3 font-medium">
                  {label}
                </th>
                <td className="px-4 py-3 font-medium">{own}</td>
                {others.map((cell, at) => (
                  <td key={PEERS[at]?.name} className="px-4 py-3 text-quiet">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  );
}
