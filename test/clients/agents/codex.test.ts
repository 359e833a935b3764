import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { lastResult } from './agent-upstream.ts';
import { type AgentScene, startAgentScene } from './agent-scene.ts';
import { createDesk, type Desk, runAgent, snippetFor } from './run-agent.ts';

let scene: AgentScene;
let desk: Desk;

beforeAll(async () => {
  scene = await startAgentScene();
});
afterAll(() => scene.close());

beforeEach(async () => {
  desk = await createDesk();
  const folder = path.join(desk.home, '.codex');
  await mkdir(folder);
  await writeFile(path.join(folder, 'config.toml'), snippetFor('Codex CLI', 'toml', scene.gateway));
});
afterEach(() => desk.clear());

/** Runs the page's command, but for the sandbox of Codex: it needs rights that a container may not give it. */
function run(key = scene.gateway.apiKey) {
  const command = snippetFor('Codex CLI', 'sh', scene.gateway);
  return runAgent(command.replace('workspace-write', 'danger-full-access'), desk, key);
}

describe('the Codex CLI', () => {
  test('runs commands with a chat model, set up as in docs/clients.md', async () => {
    scene.begin(
      { tool: 'exec_command', arguments: { cmd: 'cat input.txt' } },
      { tool: 'exec_command', arguments: { cmd: 'tr a-z A-Z < input.txt > output.txt' } },
      'Done.',
    );
    const { exitCode, stdout } = await run();
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Done.\n' });
    expect(await desk.output()).toBe('THE RIVER IS HIGH\n');
    expect(scene.requests).toEqual(Array(3).fill('200 POST /api/v1/responses'));
    expect(JSON.stringify(scene.upstream.asked[1]!.messages)).toContain('the river is high');
  });

  test('recognizes a function of its namespaces when the model calls it', async () => {
    const group = 'multi_agent_v1';
    scene.begin({ tool: `${group}__close_agent`, arguments: { target: 'nobody' } }, 'Done.');
    const { exitCode } = await run();
    expect(exitCode).toBe(0);
    const names = scene.upstream.asked[0]!.tools!.map((tool) => tool.function.name);
    expect(names.filter((name) => name.startsWith(`${group}__`)).length).toBeGreaterThan(2);
    // Its own function refused the name of the agent: Codex did not miss the function.
    expect(lastResult(scene.upstream)).not.toContain('unsupported call');
    expect(lastResult(scene.upstream)).toContain('agent');
  });

  test('sends no client-side tools or metadata on to the upstream', async () => {
    scene.begin('Done.');
    await run();
    const [asked] = scene.upstream.asked;
    expect(asked!.tools!.filter(({ type }) => type !== 'function')).toEqual([]);
    expect(asked).not.toHaveProperty('client_metadata');
  });

  test('exits 1 and prints the 401 for a wrong key', async () => {
    scene.begin('Done.');
    const { exitCode, stderr } = await run('sk-slc-wrong');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('401');
  });
});
