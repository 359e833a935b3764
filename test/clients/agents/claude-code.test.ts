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
});

afterEach(() => desk.clear());

/** The page's snippet, asked for another task. */
const snippet = () => snippetFor('Claude Code', 'sh', gateway);
const command = (task: string) => snippet().replace(/^claude [^]*$/m, task);

/** How many generations were answered, by the ledger. */
async function countCompleted(): Promise<number> {
  const { rows } = await gateway.database.query<{ n: number }>(
    "select count(*)::int as n from generations where status = 'completed'",
  );
  return rows[0]!.n;
}

describe('Claude Code', () => {
  test('reads and writes files for a model that only speaks chat, as docs/clients.md sets it up', async () => {
    steps.push(
      { tool: 'Read', arguments: { file_path: path.join(desk.work, 'input.txt') } },
      {
        tool: 'Write',
        arguments: { file_path: path.join(desk.work, 'output.txt'), content: 'THE RIVER IS HIGH' },
      },
      'Done.',
    );
    const window = { CLAUDE_CODE_MAX_CONTEXT_TOKENS: '100000' };
    const { exitCode, stdout, stderr } = await runAgent(snippet(), desk, gateway.apiKey, window);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Done.\n' });
    expect(stderr).not.toContain('assumes a context window');
    expect(await desk.output()).toBe('THE RIVER IS HIGH');
    expect(upstream.asked).toHaveLength(3);
    expect(JSON.stringify(upstream.asked[1]!.messages)).toContain('the river is high');
    expect(lastResult(upstream)).toContain('File created successfully');
    expect(await countCompleted()).toBe(3);
  });

  test('runs a command, and goes on where its tool search is refused', async () => {
    steps.push(
      { tool: 'Bash', arguments: { command: 'wc -w < input.txt', description: 'Count' } },
      'Four words.',
    );
    const task = command("claude -p 'Count the words.' --allowedTools Bash");
    const { exitCode, stdout } = await runAgent(`${task}\n`, desk, gateway.apiKey);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Four words.\n' });
    expect(lastResult(upstream)).toMatch(/^\s*4/);
  });

  test('shows how much context its tools take, by the gateway’s estimate', async () => {
    const { exitCode, stdout } = await runAgent(command("claude -p '/context'"), desk, gateway.apiKey);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/System tools/);
    expect(upstream.asked).toEqual([]);
  });

  test('says what is wrong with its key', async () => {
    const once = { CLAUDE_CODE_MAX_RETRIES: '0' };
    const { exitCode, stdout } = await runAgent(snippet(), desk, 'sk-slc-wrong', once);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/401|authenticat/i);
  });
});
