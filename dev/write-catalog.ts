/**
 * Writes the catalogs of vendors from the price sources (`npm run catalog`). With `--check` it writes nothing, and
 * fails if a catalog is not what it would write, or has a price that no source or correction explains.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseCatalogFile } from '../providers/catalog-file.ts';
import { buildCatalog } from './catalog/build-catalog.ts';
import { readExtracts } from './catalog/read-extracts.ts';
import { CATALOGS } from './catalog/vendors.ts';
import { ROOT } from './settings.ts';

const isCheck = process.argv.includes('--check');
const extracts = readExtracts();
const files = CATALOGS.map(({ folder, vendors }) => ({
  file: path.join(ROOT, 'providers', folder, 'catalog.json'),
  text: format(JSON.stringify(buildCatalog(vendors, extracts), null, 2)),
}));

for (const { file, text } of files) {
  parseCatalogFile(JSON.parse(text));
  if (text === readFileSync(file, 'utf8')) continue;
  const name = path.relative(ROOT, file);
  process.stdout.write(isCheck ? `${name} is not what npm run catalog writes\n` : `${name}\n`);
  if (isCheck) process.exitCode = 1;
  else writeFileSync(file, text);
}

function format(json: string): string {
  const tool = path.join(ROOT, 'node_modules', '.bin', 'oxfmt');
  return execFileSync(tool, ['--stdin-filepath=catalog.json'], { cwd: ROOT, input: json, encoding: 'utf8' });
}
