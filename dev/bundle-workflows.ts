/** Bundles the workflows into a file that workers load, unless the file of the same sources is there. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Supervisor } from './processes/supervisor.ts';
import { ROOT } from './settings.ts';

/** The files that decide what a bundle has, the versions of packages among them. */
const SOURCES = ['workflows/**/*.ts', 'domain/**/*.ts', 'worker/build-bundle.ts', 'package-lock.json'];

/**
 * Returns the path of the bundle in the folder, for all workers of a run. The bundler runs in a separate process,
 * because it would keep hundreds of megabytes in this one.
 */
export async function bundleWorkflows(
  dataDir: string,
  supervisor: Pick<Supervisor, 'run'>,
  root = ROOT,
): Promise<string> {
  const file = path.join(dataDir, `workflow-bundle-${hashOfSources(root)}.js`);
  if (existsSync(file)) return file;
  const unfinished = path.join(dataDir, 'workflow-bundle.new');
  await supervisor.run({
    name: 'the workflow bundler',
    command: process.execPath,
    args: [path.join(ROOT, 'worker', 'build-bundle.ts'), unfinished],
    cwd: ROOT,
    logFile: path.join(dataDir, 'logs', 'workflow-bundle.log'),
  });
  for (const older of globSync('workflow-bundle-*.js', { cwd: dataDir })) rmSync(path.join(dataDir, older));
  renameSync(unfinished, file);
  return file;
}

function hashOfSources(root: string): string {
  const hash = createHash('sha256');
  for (const file of globSync(SOURCES, { cwd: root }).toSorted()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(root, file)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}
