import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller, errorOf } from '../support/caller.ts';
import { type NativeGateway, startNativeGateway } from '../support/native-gateway.ts';
import { askResponse, readResponseEvents, responded } from '../support/responses.ts';

const NATIVE = 'test/native';

let gateway: NativeGateway['gateway'];
let upstream: NativeGateway['upstream'];
let close: NativeGateway['close'];

beforeAll(async () => {
  ({ gateway, upstream, close } = await startNativeGateway({ [NATIVE]: ['openai'] }));
});

afterAll(() => close());

const weather = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } };
const group = { type: 'namespace', name: 'crm', description: 'Customers.', tools: [weather] };

/** What the local upstream, which speaks chat, was last asked. */
function askedOfChat(): Record<string, unknown> {
  return gateway.upstream.requests('chat').at(-1)!.fields!;
}

async function placesRefused(body: object): Promise<string[]> {
  const error = await errorOf(await askResponse(gateway, body));
  expect(error).toMatchObject({ code: 400, metadata: { reason: 'invalid_request' } });
  return error.metadata.issues!.map(({ path }) => path);
}

describe('a hosted tool that the caller does not require', () => {
  const search = { type: 'web_search', external_web_access: true };
  const hosted = [search, { type: 'mcp', server_url: 'x' }];
  const tools = [search, weather, hosted[1], search];

  test('stays out of the request, and a header names it', async () => {
    const answered = await askResponse(gateway, { tools, tool_choice: 'auto' });
    expect(answered.headers.get('sluice-dropped-tools')).toBe('web_search, mcp');
    const response = await responded(answered);
    expect(response['tools']).toMatchObject([weather]);
    expect(askedOfChat()['tools']).toMatchObject([{ type: 'function', function: { name: 'weather' } }]);
  });

  test('appears in the header of a stream', async () => {
    const answered = await askResponse(gateway, { tools, stream: true });
    expect(answered.headers.get('sluice-dropped-tools')).toBe('web_search, mcp');
    await readResponseEvents(answered);
  });

  test('stays out of the request to an upstream that would charge for it', async () => {
    const answered = await askResponse(gateway, { model: NATIVE, tools: [...tools, group] });
    expect(answered.headers.get('sluice-dropped-tools')).toBe('web_search, mcp');
    await responded(answered);
    expect(upstream.asked.at(-1)!['tools']).toEqual([weather, group]);
  });

  test('leaves the choice of another tool unchanged', async () => {
    const choice = { type: 'function', name: 'weather' };
    const body = { tools, tool_choice: choice, parallel_tool_calls: false };
    await responded(await askResponse(gateway, { model: NATIVE, ...body }));
    expect(upstream.asked.at(-1)).toMatchObject({ tool_choice: choice, parallel_tool_calls: false });
  });

  test('leaves the places of other tools in errors unchanged', async () => {
    const body = { tools: [search, weather, search, { type: 'custom', name: 'query' }] };
    for (const stream of [false, true]) {
      const error = await errorOf(await askResponse(gateway, { ...body, stream }));
      expect(error.metadata.issues!.map(({ path }) => path)).toEqual(['body.tools.3.type']);
    }
  });

  test('leaves no tool options behind if it was the only tool', async () => {
    const include = ['web_search_call.action.sources', 'reasoning.encrypted_content'];
    const body = { tools: hosted, tool_choice: 'auto', parallel_tool_calls: true, include };
    await responded(await askResponse(gateway, body));
    for (const name of ['tools', 'tool_choice', 'parallel_tool_calls', 'include'])
      expect(askedOfChat()).not.toHaveProperty(name);
  });

  test('stays out of the request if a preset contains it', async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const kept = { model: 'local/echo-1', input: 'x', tools: [weather, { type: 'file_search' }] };
    const made = await manager.call('POST', '/presets/searching/responses', { body: kept });
    await made.arrayBuffer();
    const answered = await askResponse(gateway, { model: '@preset/searching' });
    expect(answered.headers.get('sluice-dropped-tools')).toBe('file_search');
    await responded(answered);
  });

  test('stays out of allowed_tools', async () => {
    const allowed = [search, { type: 'function', name: 'weather' }];
    const choice = (from: object[]) => ({ type: 'allowed_tools', mode: 'auto', tools: from });
    const [some, none] = [choice(allowed), choice([search])];
    await responded(await askResponse(gateway, { model: NATIVE, tools, tool_choice: some }));
    expect(upstream.asked.at(-1)!['tool_choice']).toEqual(choice([allowed[1]!]));
    await responded(await askResponse(gateway, { model: NATIVE, tools, tool_choice: none }));
    expect(upstream.asked.at(-1)!['tool_choice']).toBe('none');
  });
});

describe('a hosted tool that the caller requires', () => {
  const search = { type: 'web_search_preview' };
  test.each<[string, object, string[]]>([
    ['by its name', { tools: [weather, search], tool_choice: search }, ['body.tools.1.type']],
    [
      'by another of its names',
      { tools: [search], tool_choice: { type: 'web_search' } },
      ['body.tools.0.type'],
    ],
    ['as the only one of all', { tools: [search], tool_choice: 'required' }, ['body.tools.0.type']],
    [
      'as the only one beside an empty namespace',
      { tools: [{ ...group, tools: [] }, search], tool_choice: 'required' },
      ['body.tools.1.type'],
    ],
    [
      'as the only one that is allowed',
      { tools: [weather, search], tool_choice: { type: 'allowed_tools', mode: 'required', tools: [search] } },
      ['body.tools.1.type'],
    ],
  ])('gets 400 with its place: required %s', async (_what, body, paths) => {
    expect(await placesRefused(body)).toEqual(paths);
  });

  test('appears in the message under its own type', async () => {
    for (const type of ['web_search', 'file_search']) {
      const error = await errorOf(await askResponse(gateway, { tools: [{ type }], tool_choice: { type } }));
      const message = `${type} is a hosted tool that this deployment does not run`;
      expect(error.metadata.issues).toEqual([{ path: 'body.tools.0.type', message }]);
    }
  });
});

describe('a hosted tool that cannot be removed', () => {
  const inside = { ...group, tools: [weather, { type: 'web_search', name: 'search' }] };
  test.each<[string, object[], string[]]>([
    ['it is in a namespace', [inside], ['body.tools.0.tools.1.type']],
    ['it is in a namespace beside one that is', [{ type: 'mcp' }, inside], ['body.tools.1.tools.1.type']],
    ['no header can hold its name', [{ type: 'söm\nthing' }], ['body.tools.0.type']],
  ])('gets 400 with its place because %s', async (_why, tools, paths) => {
    expect(await placesRefused({ tools })).toEqual(paths);
  });
});

describe('a tool that the caller runs', () => {
  test('reaches an upstream of the same dialect unchanged, for every type of tool', async () => {
    const tools = [
      group,
      { type: 'custom', name: 'apply_patch' },
      { type: 'tool_search', execution: 'client', parameters: { type: 'object', properties: {} } },
      { type: 'shell', environment: { type: 'local' } },
    ];
    const answered = await askResponse(gateway, { model: NATIVE, tools });
    expect(answered.headers.get('sluice-dropped-tools')).toBeNull();
    await responded(answered);
    expect(upstream.asked.at(-1)!['tools']).toEqual(tools);
  });

  test('keeps its namespace in the call of a chat upstream', async () => {
    const body = { tools: [group], tool_choice: { type: 'function', name: 'weather', namespace: 'crm' } };
    const response = await responded(await askResponse(gateway, body));
    expect(response.output).toMatchObject([{ type: 'function_call', namespace: 'crm', name: 'weather' }]);
  });

  test.each<[string, object, string]>([
    ['without a name', { ...group, name: undefined }, 'body.tools.0.name'],
    ['without functions', { ...group, tools: undefined }, 'body.tools.0.tools'],
    [
      'with a function without a name',
      { ...group, tools: [{ type: 'function' }] },
      'body.tools.0.tools.0.name',
    ],
  ])('gets 400 in a namespace %s', async (_what, tool, path) => {
    const error = await errorOf(await askResponse(gateway, { tools: [tool] }));
    expect(error.metadata.issues!.map((issue) => issue.path)).toEqual([path]);
  });
});

test('the client_metadata of Codex stays out of a chat request', async () => {
  await responded(await askResponse(gateway, { client_metadata: { session_id: 's' } }));
  expect(askedOfChat()).not.toHaveProperty('client_metadata');
});
