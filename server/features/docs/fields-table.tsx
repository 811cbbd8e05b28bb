import { limitsText, type Row, typeText } from './schema-text.ts';

/** Names with their types, limits and meaning; of what is sent, which of it must be there. */
export function FieldsTable({
  caption,
  rows,
  isAnswer = false,
}: {
  caption: string;
  rows: Row[];
  isAnswer?: boolean;
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
              {name}
              {required && !isAnswer && (
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
