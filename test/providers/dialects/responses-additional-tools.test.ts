import { describe, expect, test } from '@jest/globals';
import { responsesOverChat } from '../../../providers/dialects/responses/responses-over-chat.ts';
import { auditEvents, type ResponseEvent } from '../../support/response-events.ts';
import { CONTEXT, created, scriptedChat } from './scripted-chat.ts';

type Json = Record<string, unknown>;

const fn = (name: string, description = `Does ${name}.`): Json => ({
  type: 'function',
  name,
  description,
  parameters: { type: 'object' },
});
const group = (name: string, ...tools: Json[]): Json => ({
  type: 'namespace',
  name,
  description: 'Others.',
  tools,
});
const adding = (...tools: Json[]): Json => ({ type: 'additional_tools', role: 'developer', tools });
const hi = { role: 'user', content: 'Hi' };

function namesIn(asked: Json): string[] {
  return ((asked['tools'] ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
}

/** One call of the function `team__ask`, as a chat answers it. */
const call = { index: 0, id: 'call_0', type: 'function', function: { name: 'team__ask', arguments: '{}' } };

describe('an item that adds tools', () => {
  test('adds them after those of the request and becomes no message', async () => {
    const input = [adding(group('team', fn('ask')), fn('wait')), hi];
    const { asked } = await created({ tools: [fn('shell')], input });
    expect(namesIn(asked)).toEqual(['shell', 'team__ask', 'wait']);
    expect(asked['tools']).toMatchObject([{}, { function: { description: 'Others.\n\nDoes ask.' } }, {}]);
    expect(asked['messages']).toEqual([hi]);
  });

  test('needs no other tools and may stand anywhere, more than once', async () => {
    const answered = [
      { type: 'function_call', call_id: 'call_0', namespace: 'team', name: 'ask', arguments: '{}' },
      adding(fn('wait')),
      { type: 'function_call_output', call_id: 'call_0', output: 'ok' },
    ];
    const { asked } = await created({ input: [hi, adding(group('team', fn('ask'))), ...answered] });
    expect(namesIn(asked)).toEqual(['team__ask', 'wait']);
    expect(asked['messages']).toMatchObject([
      hi,
      { role: 'assistant', tool_calls: [{ function: { name: 'team__ask' } }] },
      { role: 'tool', tool_call_id: 'call_0' },
    ]);
  });

  test('adds each function once with its first description', async () => {
    const again = adding(fn('shell', 'Again.'), group('team', fn('ask', 'Again.')));
    const input = [adding(group('team', fn('ask'))), again, hi];
    const { asked } = await created({ tools: [fn('shell')], input });
    expect(namesIn(asked)).toEqual(['shell', 'team__ask']);
    expect(JSON.stringify(asked['tools'])).not.toContain('Again.');
  });

  test('leaves no tool fields in the request when it is empty', async () => {
    const { asked } = await created({
      input: [adding(), hi],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    });
    for (const name of ['tools', 'tool_choice', 'parallel_tool_calls'])
      expect(asked).not.toHaveProperty(name);
  });

  test('may add the tool that tool_choice names', async () => {
    const choice = { type: 'function', name: 'ask', namespace: 'team' };
    const { asked } = await created({ input: [adding(group('team', fn('ask'))), hi], tool_choice: choice });
    expect(asked['tool_choice']).toEqual({ type: 'function', function: { name: 'team__ask' } });
  });

  test('reports the path of a tool type that a chat lacks', async () => {
    const query = { type: 'custom', name: 'query' };
    const refused = created({ input: [hi, adding(fn('wait'), query, group('team', query))] });
    await expect(refused).rejects.toMatchObject({
      issues: [{ path: 'body.input.1.tools.1.type' }, { path: 'body.input.1.tools.2.tools.0.type' }],
    });
  });
});

describe('a function that an item added', () => {
  const input = [adding(group('team', fn('ask'))), hi];
  const told = { type: 'function_call', namespace: 'team', name: 'ask' };

  test('keeps its own name in a whole answer', async () => {
    const message = { content: null, tool_calls: [call] };
    const { response } = await created(
      { input },
      { answer: { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] } },
    );
    expect(response.output).toMatchObject([told]);
  });

  test('keeps its own name in a stream', async () => {
    const { adapter } = scriptedChat({
      chunks: [[{ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] }]],
    });
    const events: ResponseEvent[] = [];
    for await (const batch of await responsesOverChat(adapter).stream({ model: 'm', input }, CONTEXT))
      events.push(...(batch as ResponseEvent[]));
    auditEvents(events);
    expect(events.at(-1)?.response?.output).toMatchObject([told]);
    expect(JSON.stringify(events)).not.toContain('team__ask');
  });
});
