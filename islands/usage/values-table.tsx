import ChevronRight from 'lucide-react/icons/chevron-right';
import { CopyButton } from '../ui/copy-button.tsx';

/** The values of a chart as text: for screen readers, and to copy into a spreadsheet. */
export function ValuesTable({
  stats,
  heading,
}: {
  stats: { date: string; data: number }[];
  heading: string;
}) {
  const rows = stats.map(({ date, data }) => [date, data.toFixed(2)] as const);
  const text = [['Day', heading], ...rows].map((row) => row.join('\t')).join('\n');
  return (
    <details className="group border-t border-base-300">
      <summary className="flex min-h-11 cursor-pointer items-center gap-1.5 px-4 font-medium text-quiet hover:text-base-content">
        <ChevronRight size={16} aria-hidden className="shrink-0 group-open:rotate-90" />
        Values as a table
      </summary>
      <div className="border-t border-base-300">
        <div className="flex items-center justify-between py-1 pr-2 pl-4 text-quiet">
          {stats.length} {stats.length === 1 ? 'day' : 'days'}
          <CopyButton text={text} label="Copy the values" />
        </div>
        <section
          aria-label="Daily values"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
          tabIndex={0}
          className="max-h-80 overflow-auto border-t border-base-300"
        >
          <table className="numbers w-full">
            <thead className="sticky top-0 bg-base-200 text-left text-quiet">
              <tr>
                <th scope="col" className="h-10 px-4 font-medium">
                  Day
                </th>
                <th scope="col" className="px-4 text-right font-medium">
                  {heading}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(([date, value]) => (
                <tr key={date} className="border-t border-base-300">
                  <th scope="row" className="h-9 px-4 text-left font-normal">
                    {date}
                  </th>
                  <td className="px-4 text-right">{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </details>
  );
}
