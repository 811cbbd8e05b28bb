import { join } from 'node:path';
import { checkProject } from './scan.ts';

const violations = await checkProject(join(import.meta.dir, '../..'));
for (const { rule, file, target, sentence } of violations) {
  console.error(`${file}: ${target}\n  rule ${rule}: ${sentence}`);
}
process.exit(violations.length > 0 ? 1 : 0);
