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
});
afterEach(() => desk.clear());

/** The commands of the page. */
const snippet = () => snippetFor('Claude Code', 'sh', scene.gateway);
/** Its settings, with another task. */
const withTask = (task: string) => snippet().replace(/^claude [^]*$/m, task);
/** Claude Code falls back where it is refused, so that its work alone does not show whether it was. */
const refused = () =>
  scene.requests.filter((request) => request.startsWith('4') && !request.includes('HEAD'));

describe('Claude Code', () => {
  test('reads and writes files with a chat model, set up as in docs/clients.md', async () => {
    const [input, output] = ['input.txt', 'output.txt'].map((name) => path.join(desk.work, name));
    scene.begin(
      { tool: 'Read', arguments: { file_path: input } },
      { tool: 'Write', arguments: { file_path: output, content: 'THE RIVER IS HIGH' } },
      'Done.',
    );
    const settings = { CLAUDE_CODE_MAX_CONTEXT_TOKENS: '100000' };
    const { exitCode, stdout, stderr } = await runAgent(snippet(), desk, scene.gateway.apiKey, settings);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Done.\n' });
    expect(stderr).not.toContain('assumes a context window');
    expect(await desk.output()).toBe('THE RIVER IS HIGH');
    expect(scene.upstream.asked).toHaveLength(3);
    expect(JSON.stringify(scene.upstream.asked[1]!.messages)).toContain('the river is high');
    expect(lastResult(scene.upstream)).toContain('File created successfully');
    expect(refused()).toEqual([]);
  });

  test('runs a command without any refused request', async () => {
    scene.begin(
      { tool: 'Bash', arguments: { command: 'wc -w < input.txt', description: 'Count' } },
      'Four words.',
    );
    const task = withTask("claude -p 'Count the words.' --allowedTools Bash");
    const { exitCode, stdout } = await runAgent(task, desk, scene.gateway.apiKey);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Four words.\n' });
    expect(lastResult(scene.upstream)).toMatch(/^\s*4/);
    expect(refused()).toEqual([]);
  });

  test('shows the context that its tools take, as the gateway estimates it', async () => {
    scene.begin();
    const { exitCode, stdout } = await runAgent(withTask("claude -p '/context'"), desk, scene.gateway.apiKey);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/System tools/);
    expect(scene.requests).toContain('200 POST /api/v1/messages/count_tokens');
    expect(scene.upstream.asked).toEqual([]);
  });

  test('exits 1 and prints the 401 for a wrong key', async () => {
    scene.begin('Done.');
    const once = { CLAUDE_CODE_MAX_RETRIES: '0' };
    const { exitCode, stdout } = await runAgent(snippet(), desk, 'sk-slc-wrong', once);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/401|authenticat/i);
  });
});
