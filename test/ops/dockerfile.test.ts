import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { API_FLAGS, ROOT, WORKER_FLAGS } from '../../dev/settings.ts';
import packageJson from '../../package.json' with { type: 'json' };
import buildConfig from '../../tsconfig.build.json' with { type: 'json' };
import { compose, readRootFile } from './deployment-files.ts';

const NOT_SHIPPED = ['examples', 'bench', 'dev', 'docs', 'test', 'node_modules', 'dist', 'coverage'];

type Instruction = readonly [name: string, rest: string];

/** One entry for each instruction: its name, and the rest of its line or lines. */
const instructions = readRootFile('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter(Boolean)
  .map((line): Instruction => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);

/** The stage of the local upstream, and that of Sluice, which is built when none is named. */
const upstream = stageFrom(instructions.findIndex(([, rest]) => rest.endsWith(' AS upstream')));
const product = stageFrom(instructions.findLastIndex(([name]) => name === 'FROM'));

/** Returns the instructions of the stage that begins at an index. */
function stageFrom(start: number): Instruction[] {
  const end = instructions.findIndex(([name], index) => index > start && name === 'FROM');
  return instructions.slice(start, end === -1 ? undefined : end);
}

function all(name: string, among = instructions): string[] {
  return among.flatMap(([instruction, rest]) => (instruction === name ? [rest] : []));
}

const ignoreLines = readRootFile('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const allowed = ignoreLines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));

/** What is made in an allowed folder on the machine that builds, and again in the image. */
const MADE_HERE = ['console/dist', 'console/generated', 'console/node_modules'];

/** Returns whether the build sees a file, by its own name or by that of a folder. */
function isHeld(file: string): boolean {
  return allowed.some((name) => `${file}/`.startsWith(`${name}/`));
}

describe('the Docker build context', () => {
  test('holds only what .dockerignore names', () => {
    expect(ignoreLines[0]).toBe('*');
    const others = ignoreLines.slice(1).filter((line) => !/^![\w./-]+$/.test(line));
    expect(others).toEqual(MADE_HERE);
    expect(allowed.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
  });

  test('holds every folder of shipped code, and no other folder', () => {
    const shipped = readdirSync(ROOT, { withFileTypes: true })
      .filter(
        (entry) => entry.isDirectory() && !entry.name.startsWith('.') && !NOT_SHIPPED.includes(entry.name),
      )
      .map(({ name }) => name);
    expect(allowed.filter((name) => !name.includes('.') && name === name.toLowerCase()).toSorted()).toEqual(
      shipped.toSorted(),
    );
  });

  test('holds every file that the Dockerfile copies by name', () => {
    const sources = all('COPY')
      .filter((rest) => !rest.includes('--from='))
      .flatMap((rest) =>
        rest
          .split(' ')
          .filter((word) => !word.startsWith('--'))
          .slice(0, -1),
      );
    expect(sources).toEqual(expect.arrayContaining(['package-lock.json', 'LICENSE']));
    for (const source of sources)
      if (source !== '.') expect([source, isHeld(source)]).toEqual([source, true]);
  });

  test('holds every file that `npm run build` names', () => {
    const files = packageJson.scripts.build.split(' ').filter((word) => /\.\w+$/.test(word));
    expect(files).toContain('tsconfig.build.json');
    expect(files.filter((file) => !isHeld(file))).toEqual([]);
  });
});

describe('the Docker image', () => {
  test('has the Node version that the tests run on', () => {
    const version = packageJson.devDependencies.node;
    const stages = all('FROM').map((rest) => rest.split(' ')[0]);
    expect(new Set(stages)).toEqual(new Set([`node:${version}-trixie-slim`, 'base']));
  });

  test.each([
    ['Sluice', product],
    ['the local upstream', upstream],
  ])('runs %s without root and stops it on SIGTERM', (_name, stage) => {
    expect(all('USER', stage)).toEqual(['1000:1000']);
    expect(all('STOPSIGNAL', stage)).toEqual(['SIGTERM']);
  });

  test('runs the API with the flags of `npm run api`, and existing programs by command', () => {
    expect(JSON.parse(all('ENTRYPOINT', product)[0] ?? '')).toEqual(['node']);
    expect(JSON.parse(all('CMD', product)[0] ?? '')).toEqual([...API_FLAGS, 'dist/api/main.js']);
    const commands = Object.values(compose.services).flatMap(({ command = [], entrypoint = [] }) => [
      ...command,
      ...entrypoint,
    ]);
    const programs = [
      ...commands.filter((word) => word.startsWith('dist/')),
      ...(JSON.parse(all('CMD', upstream)[0] ?? '') as string[]),
    ];
    expect(compose.services['upstream']?.build).toEqual({ context: '.', target: 'upstream' });
    expect(compose.services['worker']?.command).toEqual([...WORKER_FLAGS, 'dist/worker/main.js']);
    for (const program of programs) {
      const source = program.replace(/^dist\//, '').replace(/\.js$/, '.ts');
      expect([source, existsSync(path.join(ROOT, source))]).toEqual([source, true]);
    }
  });

  test('leaves out the packages and the code of the local upstream', () => {
    const installs = all('RUN').filter((rest) => rest.startsWith('npm ci '));
    const ofProduct = installs.filter((rest) => !all('RUN', upstream).includes(rest));
    // The image takes its packages from the first one; the second one is that of the build.
    expect(ofProduct).toEqual([
      expect.stringContaining(' --workspaces=false '),
      expect.stringContaining(' --workspace=console '),
    ]);
    expect(all('COPY', product)).toContain('--from=dependencies /app/node_modules node_modules');
    expect(buildConfig.include.filter((pattern) => pattern.startsWith('upstream/'))).toEqual([]);
  });

  test('reports health only while /healthz answers 200', async () => {
    const [, command = ''] = /CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0] ?? '') ?? [];
    const [, ...args] = JSON.parse(command) as string[];
    let status = 200;
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      asked.push(url);
      response.writeHead(status).end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { PORT: String((server.address() as AddressInfo).port) };
    const check = async (): Promise<unknown> =>
      (await once(spawn(process.execPath, args, { env }), 'exit'))[0];
    expect(await check()).toBe(0);
    status = 503;
    expect(await check()).toBe(1);
    server.close();
    await once(server, 'close');
    expect(await check()).toBe(1);
    expect(asked).toEqual(['/healthz', '/healthz']);
  });
});
