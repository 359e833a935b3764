/**
 * Prints the mechanical faults of comments, strings, pages and titles of tests (`npm run prose [paths]`), and exits
 * with 1 if there are any. `--summary` prints counts by folder only.
 */
import { parseArgs } from 'node:util';
import { ROOT } from '../settings.ts';
import { findFileFaults, listProseFiles, type PlacedFault } from './count-faults.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { summary: { type: 'boolean', default: false } },
});

const faults = listProseFiles(ROOT, positionals).flatMap((file) => findFileFaults(ROOT, file));

if (values.summary)
  printCounts(faults, ({ file }) => file.split('/').slice(0, -1).slice(0, 2).join('/') || file);
else for (const fault of faults) print(`${fault.file}:${fault.line} [${fault.rule}] ${fault.excerpt}`);
printCounts(faults, ({ rule }) => rule);
print(`${faults.length} faults of prose`);
if (faults.length > 0) process.exitCode = 1;

function printCounts(counted: PlacedFault[], nameOf: (fault: PlacedFault) => string): void {
  const groups = Object.groupBy(counted, nameOf);
  for (const [name, group = []] of Object.entries(groups))
    print(`${String(group.length).padStart(6)}  ${name}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
