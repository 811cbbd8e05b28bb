import {
  MAX_ALLOWED_TYPES,
  parseAllowedType,
  type UploadRules,
} from '../../../server/contract/files/upload-rules.ts';
import { GIB, MIB } from '../../../server/contract/limits.ts';
import { formatBytes } from '../../../server/contract/units.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { parseUnits, toUnits } from '../../ui/form/binary-units.ts';
import { listOf, type RuleField, RulesForm } from './rules-form.tsx';
import { setUploadRules } from './settings-calls.ts';

/** What a field for bytes has beside its label and help. */
const bytesIn = (unit: number) => ({
  inputMode: 'decimal' as const,
  placeholder: 'No limit',
  invalid: 'Enter a number of at least 0.01 with up to two decimals, or leave the field empty.',
  toText: (bytes: number | null) => toUnits(bytes, unit),
  parse: (text: string) => {
    const bytes = parseUnits(text.trim(), unit);
    return bytes === 0 ? undefined : bytes;
  },
});

const fieldsOf = (
  usage: number,
): { [Name in keyof UploadRules]: RuleField<UploadRules[Name]> } => ({
  allowed_types: {
    ...listOf(MAX_ALLOWED_TYPES, (entry) => parseAllowedType(entry) !== null),
    label: 'Allowed types',
    placeholder: 'All types',
    help: 'Separate types with commas, such as application/pdf. image/* allows all images.',
    invalid: `Enter up to ${MAX_ALLOWED_TYPES} types such as application/pdf or image/*, separated by commas.`,
  },
  max_file_bytes: {
    ...bytesIn(MIB),
    label: 'Largest file, MiB',
    help: 'Larger files are refused. Leave empty for no limit.',
  },
  storage_limit: {
    ...bytesIn(GIB),
    label: 'Storage limit, GiB',
    help: `${formatBytes(usage)} used. Uploads that would exceed the limit are refused.`,
  },
});

/** Sets which files the bucket accepts, and how much it may store. */
export const UploadsPanel = ({ bucket }: { bucket: BucketWire }) => (
  <RulesForm<UploadRules>
    bucket={bucket}
    title="Upload rules"
    text="Choose which files this bucket accepts. Existing files aren’t affected."
    saved="Upload rules saved."
    fields={fieldsOf(bucket.usage)}
    save={(rules) => setUploadRules(bucket.id, rules)}
  />
);
