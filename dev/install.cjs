'use strict';
/**
 * The step before every command: installs what package-lock.json names and node_modules lacks, then makes
 * sure that the Node the rest runs on is there. The only file that an older Node (14 and up) ever runs, so
 * it uses nothing newer and no package.
 */
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const ROOT = path.join(__dirname, '..');
const RUNTIME = path.join(ROOT, 'node_modules', '.bin', 'node');

main();

function main() {
  if (!isInstalled()) install();
  const problem = runtimeProblem();
  if (problem !== undefined) fail(problem);
}

/**
 * Compares what is wanted with what npm wrote down at the end of its last install (npm removes that file
 * first, so a broken install counts as none). Contents, not times: a copied checkout keeps no order of times.
 */
function isInstalled() {
  const wanted = readJson('package-lock.json').packages;
  const hidden = path.join('node_modules', '.package-lock.json');
  if (!fs.existsSync(path.join(ROOT, hidden))) return false;
  const installed = readJson(hidden).packages;
  return Object.keys(wanted).every((folder) => {
    // Folders of this repository: its root, its workspace, and the link to that, which nothing imports.
    if (!folder.includes('node_modules/') || wanted[folder].link === true) return true;
    const found = installed[folder];
    // Binaries of other platforms are optional and absent.
    return found === undefined ? wanted[folder].optional === true : found.version === wanted[folder].version;
  });
}

function install() {
  const startedAt = Date.now();
  say(
    'Installing packages from package-lock.json with npm ci (one to three minutes, only when they change) ...',
  );
  const { command, args } = npm();
  // NODE_ENV=production would leave out the runtime, which is a development dependency.
  const options = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  const result = spawnSync(command, [...args, ...options], { cwd: ROOT, stdio: 'inherit' });
  if (result.status !== 0) {
    fail(
      `npm ci failed (${result.error ? result.error.message : `exit code ${result.status}`}); its words are above.\n` +
        'Check that the package registry can be reached, then repeat the command.',
    );
  }
  say(`Installed after ${Math.round((Date.now() - startedAt) / 1000)} s.`);
}

/** The npm that runs this script, on the Node it runs on: `npm ci` deletes the one in node_modules. */
function npm() {
  const cli = process.env.npm_execpath;
  if (cli === undefined || !/npm-cli\.c?js$/.test(cli)) return { command: 'npm', args: [] };
  return { command: process.env.npm_node_execpath || process.execPath, args: [cli] };
}

/** What to say when the wanted Node is not there or does not run; undefined when all is well. */
function runtimeProblem() {
  const wanted = readJson('package.json').devDependencies.node;
  const found = runtimeVersion();
  if (found === wanted) return undefined;
  if (found !== undefined) {
    return `node_modules/.bin/node is version ${found}, wanted ${wanted}.\nType:  npm ci`;
  }
  if (fs.existsSync(RUNTIME)) {
    return (
      'node_modules/.bin/node does not run on this machine: it was installed for another system.\n' +
      'Type:  rm -rf node_modules && npm ci'
    );
  }
  return (
    `Node ${wanted} is missing from node_modules. The package \`node\` brings it with an install script,\n` +
    'and this npm is set not to run install scripts (ignore-scripts).\n' +
    'Type:  npm rebuild node --ignore-scripts=false'
  );
}

function runtimeVersion() {
  if (!fs.existsSync(RUNTIME)) return undefined;
  // Usually this very process runs on it: npm puts node_modules/.bin first on the PATH.
  if (fs.realpathSync(RUNTIME) === fs.realpathSync(process.execPath)) return process.versions.node;
  const result = spawnSync(RUNTIME, ['--version'], { encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim().replace(/^v/, '') : undefined;
}

function readJson(file) {
  return JSON.parse(fs.readFileSync(path.join(ROOT, file), 'utf8'));
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

function fail(text) {
  process.stderr.write(`\n${text}\n\n`);
  process.exit(1);
}
