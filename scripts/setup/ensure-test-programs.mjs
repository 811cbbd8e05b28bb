import { spawnSync } from 'node:child_process';
import {
  canInstallPackages,
  hasApt,
  installCommand,
  installPackages,
  isDebian,
  startingNothing,
  thisMachine,
  updatePackageLists,
} from './debian.mjs';
import { Problem } from './problem.mjs';
import { TEST_PROGRAMS } from './test-programs.mjs';

/** @typedef {import('./test-programs.mjs').TestProgram} TestProgram */
/** @typedef {import('./debian.mjs').Machine} Machine */

/**
 * What apt-get prints when this system does not offer a package. Any other failure would affect the next
 * package too.
 */
const IS_NOT_OFFERED = /Unable to locate package|has no installation candidate/;

/**
 * Installs the programs that the tests need where it can do so without asking. Then it prints in one line
 * what is missing, with the command that installs it. Throws Problem with that line where nothing works
 * without a program.
 * @param {string} root the project's folder
 * @param {{ machine?: Machine, programs?: TestProgram[], policy?: string }} [options] for tests of this
 *   function
 * @returns {Promise<{ missing: string[] }>} names of the programs whose tests are skipped
 */
export async function ensureTestPrograms(
  root,
  { machine = thisMachine(), programs = TEST_PROGRAMS, policy } = {},
) {
  let missing = await missingOf(programs);
  if (canInstallPackages(machine)) {
    const installable = missing.filter(
      ({ isService, page }) => !page && !(isService && machine.hasSystemd),
    );
    installEach(root, machine, installable, policy);
    if (installable.length > 0) missing = await missingOf(missing);
  }
  if (missing.some(({ isRequired }) => isRequired))
    throw new Problem(missingLine(missing, machine));
  if (missing.length > 0) console.log(missingLine(missing, machine));
  return { missing: missing.map(({ name }) => name) };
}

/** @param {TestProgram[]} programs */
async function missingOf(programs) {
  const missing = [];
  for (const program of programs) if (!(await program.isInstalled())) missing.push(program);
  return missing;
}

/**
 * Installs one program after the other, and prints in one line what fails. The other tests are worth
 * running without it.
 * @param {string} root @param {Machine} machine @param {TestProgram[]} programs
 * @param {string} [policy]
 */
function installEach(root, machine, programs, policy) {
  if (programs.length === 0) return;
  const names = programs.map(({ name }) => name).join(', ');
  console.log(`Installing what the tests need: ${names}.`);
  const failures = startingNothing(() => installUntilFailure(root, machine, programs), policy);
  if (failures.length > 0) console.log(`Not everything could be installed: ${failures.join('; ')}`);
}

/** @param {string} root @param {Machine} machine @param {TestProgram[]} programs */
function installUntilFailure(root, machine, programs) {
  /** @type {string[]} */
  const failures = [];
  try {
    updatePackageLists();
    for (const program of programs) {
      try {
        install(root, machine, program);
      } catch (error) {
        if (!(error instanceof Problem && IS_NOT_OFFERED.test(error.message))) throw error;
        failures.push(error.message);
      }
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    failures.push(error.message);
  }
  return failures;
}

/** @param {string} root @param {Machine} machine @param {TestProgram} program */
function install(root, machine, { name, packages, prepare, elsewhere }) {
  if (!elsewhere || isDebian(machine)) {
    prepare?.();
    return installPackages(packages);
  }
  const [command = '', ...parameters] = elsewhere;
  const result = spawnSync(command, parameters, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (result.status !== 0) throw new Problem(`${name} could not be installed: see above`);
}

/**
 * Returns what is missing, which tests need it, and the one command that installs what packages have.
 * @param {TestProgram[]} missing
 * @param {Machine} machine
 */
export function missingLine(missing, machine) {
  const what = missing
    .map(({ name, purpose, page }) => `${name} (${[purpose, page].filter(Boolean).join(', ')})`)
    .join(', ');
  const isFatal = missing.some(({ isRequired }) => isRequired);
  const effect = isFatal ? '' : ' The tests that need them are skipped.';
  const services = missing.filter(({ isService }) => isService).map(({ name }) => name);
  const warning =
    machine.hasSystemd && services.length > 0
      ? ` (this also starts ${services.join(', ')} at every boot)`
      : '';
  const command = commandFor(missing, machine);
  const install = command && ` To install them: ${command}${warning}`;
  return `Not installed: ${what}.${effect}${install}`;
}

/** @param {TestProgram[]} programs @param {Machine} machine */
function commandFor(programs, machine) {
  const byPackage = programs.filter(({ elsewhere }) => !elsewhere || isDebian(machine));
  const packages = byPackage.flatMap((one) => one.packages);
  const others = programs.filter((one) => !byPackage.includes(one));
  return [
    packages.length > 0 ? installCommand(packages, machine) : '',
    ...others.map(({ elsewhere = [] }) => elsewhere.join(' ')),
  ]
    .filter(Boolean)
    .join(hasApt(machine) ? ' && ' : ', then ');
}
