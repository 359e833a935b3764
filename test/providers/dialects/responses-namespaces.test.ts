import { describe, expect, test } from '@jest/globals';
import { UnsupportedFieldsError } from '../../../domain/unsupported-fields.ts';
import { responsesOverChat } from '../../../providers/dialects/responses/responses-over-chat.ts';
import { auditEvents, type ResponseEvent } from '../../support/response-events.ts';
import { CONTEXT, created, type Script, scriptedChat } from './scripted-chat.ts';

type Json = Record<string, unknown>;

const fn = (name: string, more: Json = {}): Json => ({
  type: 'function',
  name,
  description: `Does ${name}.`,
  strict: false,
  parameters: { type: 'object' },
  ...more,
});
const crm = { type: 'namespace', name: 'crm', description: 'Customers.', tools: [fn('find'), fn('add')] };
const calling = (...names: string[]): Script => ({
  answer: {
    choices: [
      {
        index: 0,
        message: {
          content: null,
          tool_calls: names.map((name, index) => ({
            index,
            id: `call_${index}`,
            type: 'function',
            function: { name, arguments: '{"a":1}' },
          })),
        },
        finish_reason: 'tool_calls',
      },
    ],
  },
});

/** The names of the functions that the chat was told of. */
function namesIn(asked: Json): string[] {
  return (asked['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name);
}

describe('the functions of a namespace', () => {
  test('reach the chat one by one under names that begin with the namespace', async () => {
    const { asked } = await created({ tools: [fn('now'), crm, fn('later')] });
    expect(namesIn(asked)).toEqual(['now', 'crm__find', 'crm__add', 'later']);
    expect(asked['tools']).toMatchObject([
      { function: { description: 'Does now.' } },
      {
        function: { description: 'Customers.\n\nDoes find.', parameters: { type: 'object' }, strict: false },
      },
      { function: { description: 'Does add.' } },
      { function: { description: 'Does later.' } },
    ]);
  });

  test('have their own names in the calls of a whole answer', async () => {
    const { response } = await created({ tools: [fn('now'), crm] }, calling('crm__add', 'now'));
    expect(response.output).toMatchObject([
      { type: 'function_call', call_id: 'call_0', namespace: 'crm', name: 'add', arguments: '{"a":1}' },
      { type: 'function_call', call_id: 'call_1', name: 'now' },
    ]);
    expect(response.output[1]).not.toHaveProperty('namespace');
    expect(response['tools']).toMatchObject([{ name: 'now' }, crm]);
  });

  test('have their own names in every event of a stream', async () => {
    const call = { index: 0, id: 'call_0', function: { name: 'crm__find', arguments: '{}' } };
    const { adapter } = scriptedChat({
      chunks: [[{ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] }]],
    });
    const request = { model: 'm', input: 'Hi', tools: [crm] };
    const events: ResponseEvent[] = [];
    for await (const batch of await responsesOverChat(adapter).stream(request, CONTEXT))
      events.push(...(batch as ResponseEvent[]));
    auditEvents(events);
    const told = { namespace: 'crm', name: 'find' };
    const of = (type: string) => events.find((event) => event.type === type);
    expect(of('response.output_item.added')?.item).toMatchObject(told);
    expect(of('response.function_call_arguments.done')).toMatchObject({ name: 'find' });
    expect(of('response.output_item.done')?.item).toMatchObject(told);
    expect(of('response.completed')?.response?.output).toMatchObject([told]);
    expect(JSON.stringify(events)).not.toContain('crm__find');
  });

  test('keep their prefixed names in a repeated conversation, even without tools', async () => {
    const { response } = await created({ tools: [crm] }, calling('crm__add'));
    const input = [
      { role: 'user', content: 'Hi' },
      ...response.output,
      { type: 'function_call_output', call_id: 'call_0', output: 'ok' },
    ];
    for (const tools of [[crm], []]) {
      const { asked } = await created({ input, tools });
      expect(asked['messages']).toMatchObject([
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'call_0', function: { name: 'crm__add' } }] },
        { role: 'tool', tool_call_id: 'call_0', content: 'ok' },
      ]);
    }
  });

  test.each<[string, unknown, unknown]>([
    [
      'one of them',
      { type: 'function', name: 'add', namespace: 'crm' },
      { type: 'function', function: { name: 'crm__add' } },
    ],
    [
      'some of them',
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'add', namespace: 'crm' }] },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'crm__add' } }] },
      },
    ],
    [
      'all of them',
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'namespace', name: 'crm' }] },
      {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: ['crm__find', 'crm__add'].map((name) => ({ type: 'function', function: { name } })),
        },
      },
    ],
  ])('may be named by tool_choice: %s', async (_what, choice, told) => {
    const { asked } = await created({ tools: [crm], tool_choice: choice });
    expect(asked['tool_choice']).toEqual(told);
  });
});

describe('a namespace', () => {
  const none = { ...crm, tools: [] };

  test('leaves no tool fields in the request when it is empty and alone', async () => {
    const { asked } = await created({ tools: [none], tool_choice: 'auto', parallel_tool_calls: true });
    for (const name of ['tools', 'tool_choice', 'parallel_tool_calls'])
      expect(asked).not.toHaveProperty(name);
  });

  test.each(['required', { type: 'function', name: 'find', namespace: 'crm' }])(
    'fails when it is empty and tool_choice requires a call: %j',
    async (choice) => {
      const refused = created({ tools: [none], tool_choice: choice });
      await expect(refused).rejects.toMatchObject({ issues: [{ path: 'body.tool_choice' }] });
    },
  );

  test('has each of its functions once, in its first version, when it is given twice', async () => {
    const again = { ...crm, tools: [fn('add', { description: 'Again.' }), fn('drop')] };
    const choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'namespace', name: 'crm' }] };
    const { asked } = await created({ tools: [crm, again], tool_choice: choice });
    expect(namesIn(asked)).toEqual(['crm__find', 'crm__add', 'crm__drop']);
    expect(asked['tools']).toMatchObject([{}, { function: { description: 'Does add.' } }, {}]);
    expect(asked['tool_choice']).toMatchObject({ allowed_tools: { tools: { length: 3 } } });
  });
});

describe('function names in a chat', () => {
  const long = 'n'.repeat(60);
  const groups = [
    { type: 'namespace', name: 'a', tools: [fn('b__c'), fn(`${long}1`), fn(`${long}2`)] },
    { type: 'namespace', name: 'a__b', tools: [fn('c')] },
    { type: 'namespace', name: 'mcp.über', tools: [fn('x')] },
  ];
  const tools = [fn('a__b__c'), ...groups];

  test('have at most 64 allowed characters and are unique', async () => {
    const { asked } = await created({ tools });
    const names = namesIn(asked);
    expect(names).toHaveLength(6);
    expect(new Set(names).size).toBe(6);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
    expect(names[0]).toBe('a__b__c');
  });

  test('lead back to the function that was called', async () => {
    const { asked } = await created({ tools });
    const { response } = await created({ tools }, calling(...namesIn(asked)));
    const called = response.output.map(({ namespace, name }) => [namespace, name]);
    expect(called).toEqual([
      [undefined, 'a__b__c'],
      ['a', 'b__c'],
      ['a', `${long}1`],
      ['a', `${long}2`],
      ['a__b', 'c'],
      ['mcp.über', 'x'],
    ]);
  });
});

test('a tool of another type in a namespace is refused with its path', async () => {
  const tools = [{ ...crm, tools: [fn('find'), { type: 'custom', name: 'query' }] }];
  const refused = created({ tools });
  await expect(refused).rejects.toBeInstanceOf(UnsupportedFieldsError);
  await expect(refused).rejects.toMatchObject({ issues: [{ path: 'body.tools.0.tools.1.type' }] });
});
