import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { type AgentUpstream, lastResult, startAgentUpstream, type Step } from './agent-upstream.ts';
import { createDesk, type Desk, runAgent, snippetFor } from './run-agent.ts';

let desk: Desk;
let upstream: AgentUpstream;
let gateway: Gateway;
const steps: Step[] = [];

beforeAll(async () => {
  upstream = await startAgentUpstream(steps);
  gateway = await startGateway({
    worker: false,
    env: { PROVIDER_LOCAL_BASE_URL: upstream.baseUrl },
  });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

beforeEach(async () => {
  desk = await createDesk();
  upstream.asked.length = 0;
  steps.length = 0;
  await mkdir(path.join(desk.home, '.codex'));
  await writeFile(path.join(desk.home, '.codex', 'config.toml'), snippetFor('Codex CLI', 'toml', gateway));
});

afterEach(() => desk.clear());

/** The sandbox of Codex needs rights that a container may not give it. */
const run = (key = gateway.apiKey) =>
  runAgent(
    snippetFor('Codex CLI', 'sh', gateway).replace(
      '--sandbox workspace-write',
      '--sandbox danger-full-access',
    ),
    desk,
    key,
  );

describe('the Codex CLI', () => {
  test('runs commands for a model that only speaks chat, as docs/clients.md sets it up', async () => {
    steps.push(
      { tool: 'exec_command', arguments: { cmd: 'cat input.txt' } },
      { tool: 'exec_command', arguments: { cmd: 'tr a-z A-Z < input.txt > output.txt' } },
      'Done.',
    );
    const { exitCode, stdout } = await run();
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Done.\n' });
    expect(await desk.output()).toBe('THE RIVER IS HIGH\n');
    expect(upstream.asked).toHaveLength(3);
    expect(JSON.stringify(upstream.asked[1]!.messages)).toContain('the river is high');
  });

  test('knows a function of its namespaces again when the model calls it', async () => {
    const group = 'multi_agent_v1';
    steps.push({ tool: `${group}__close_agent`, arguments: { target: 'nobody' } }, 'Done.');
    const { exitCode } = await run();
    expect(exitCode).toBe(0);
    const names = upstream.asked[0]!.tools!.map((tool) => tool.function.name);
    expect(names.filter((name) => name.startsWith(`${group}__`)).length).toBeGreaterThan(2);
    // It was its own function that refused, and not Codex that found no such function.
    expect(lastResult(upstream)).not.toMatch(/unsupported call|unknown tool/i);
    expect(lastResult(upstream)).toMatch(/nobody|agent/i);
  });

  test('is told nothing of tools that nobody here runs', async () => {
    steps.push('Done.');
    await run();
    const [asked] = upstream.asked;
    expect(asked!.tools!.filter(({ type }) => type !== 'function')).toEqual([]);
    expect(asked).not.toHaveProperty('client_metadata');
  });

  test('says what is wrong with its key', async () => {
    const { exitCode, stderr } = await run('sk-slc-wrong');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('401');
  });
});
