import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorOf } from '../support/caller.ts';
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
const search = { type: 'web_search' };
const hi = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };
const adding = (...tools: object[]) => ({ type: 'additional_tools', role: 'developer', id: 'at_1', tools });

/** The request that the local upstream, which speaks chat, received last. */
function askedOfChat(): Record<string, unknown> {
  return gateway.upstream.requests('chat').at(-1)!.fields!;
}

async function placesRefused(body: object): Promise<string[]> {
  const error = await errorOf(await askResponse(gateway, body));
  expect(error).toMatchObject({ code: 400, metadata: { reason: 'invalid_request' } });
  return error.metadata.issues!.map(({ path }) => path);
}

describe('an item that adds tools', () => {
  test('reaches an upstream of the same dialect unchanged', async () => {
    const input = [adding(group, { type: 'custom', name: 'exec' }), hi];
    await responded(await askResponse(gateway, { model: NATIVE, input }));
    expect(upstream.asked.at(-1)!['input']).toEqual(input);
    expect(upstream.asked.at(-1)).not.toHaveProperty('tools');
  });

  test("gives its functions to a chat upstream, whose calls have the caller's names", async () => {
    const body = {
      input: [adding(group), hi],
      tool_choice: { type: 'function', name: 'weather', namespace: 'crm' },
    };
    const call = { type: 'function_call', namespace: 'crm', name: 'weather' };
    const whole = await responded(await askResponse(gateway, body));
    expect(whole.output).toMatchObject([call]);
    const events = await readResponseEvents(await askResponse(gateway, { ...body, stream: true }));
    expect(events.at(-1)?.response?.output).toMatchObject([call]);
    expect(askedOfChat()['tools']).toMatchObject([{ function: { name: 'crm__weather' } }]);
  });

  test('requires an endpoint with tools under require_parameters', async () => {
    const provider = { require_parameters: true };
    await responded(await askResponse(gateway, { input: [adding(group), hi], provider }));
    const refused = await askResponse(gateway, {
      model: 'local/chat-canned',
      input: [adding(group), hi],
      provider,
    });
    expect(await errorOf(refused)).toMatchObject({ code: 404 });
  });

  test.each<[string, object, string]>([
    ['without a list', { ...adding(), tools: {} }, 'body.input.0.tools'],
    ['with a tool without a type', adding({ name: 'x' }), 'body.input.0.tools.0.type'],
    ['with a function without a name', adding(weather, { type: 'function' }), 'body.input.0.tools.1.name'],
    [
      'with such a function in a namespace',
      adding({ ...group, tools: [{ type: 'function' }] }),
      'body.input.0.tools.0.tools.0.name',
    ],
  ])('gets 400 %s', async (_what, item, path) => {
    expect(await placesRefused({ input: [item, hi] })).toEqual([path]);
  });
});

describe('a hosted tool in an item', () => {
  test('stays out of the request, and a header names it, whole and streamed', async () => {
    const body = { tools: [{ type: 'mcp', server_url: 'x' }, weather], input: [adding(search, group), hi] };
    for (const stream of [false, true]) {
      const answered = await askResponse(gateway, { ...body, stream });
      expect(answered.headers.get('sluice-dropped-tools')).toBe('mcp, web_search');
      await answered.arrayBuffer();
      expect(askedOfChat()['tools']).toMatchObject([
        { function: { name: 'weather' } },
        { function: { name: 'crm__weather' } },
      ]);
    }
  });

  test('reaches no upstream that would charge for it', async () => {
    const body = { model: NATIVE, tools: [search], input: [adding(search, group), hi] };
    const answered = await askResponse(gateway, body);
    expect(answered.headers.get('sluice-dropped-tools')).toBe('web_search');
    await responded(answered);
    expect(upstream.asked.at(-1)).toMatchObject({ input: [adding(group), hi] });
    expect(upstream.asked.at(-1)).not.toHaveProperty('tools');
  });

  test('reaches no upstream as the result of a search for tools', async () => {
    const found = {
      type: 'tool_search_output',
      call_id: 'call_1',
      execution: 'client',
      tools: [search, weather],
    };
    const answered = await askResponse(gateway, { model: NATIVE, input: [hi, found] });
    expect(answered.headers.get('sluice-dropped-tools')).toBe('web_search');
    await responded(answered);
    expect(upstream.asked.at(-1)!['input']).toEqual([hi, { ...found, tools: [weather] }]);
  });

  test('leaves no options about tools behind if it was the only tool', async () => {
    const body = { input: [adding(search), hi], tool_choice: 'auto', parallel_tool_calls: true };
    await responded(await askResponse(gateway, { ...body, model: NATIVE }));
    for (const name of ['tool_choice', 'parallel_tool_calls'])
      expect(upstream.asked.at(-1)).not.toHaveProperty(name);
  });

  test.each<[string, object, string[]]>([
    [
      'that the caller insists on',
      { input: [hi, adding(weather, search)], tool_choice: search },
      ['body.input.1.tools.1.type'],
    ],
    [
      'that alone could be called',
      { input: [adding(search), hi], tool_choice: 'required' },
      ['body.input.0.tools.0.type'],
    ],
    [
      'in a namespace',
      { input: [adding({ ...group, tools: [{ ...search, name: 'search' }] }), hi] },
      ['body.input.0.tools.0.tools.0.type'],
    ],
  ])('gets 400 with its place: a tool %s', async (_what, body, paths) => {
    for (const model of [NATIVE, 'local/echo-1'])
      expect(await placesRefused({ ...body, model })).toEqual(paths);
  });

  test('leaves the places of other tools in errors unchanged', async () => {
    const custom = { type: 'custom', name: 'query' };
    const body = { tools: [search, custom], input: [hi, adding(search, weather, search, custom)] };
    expect(await placesRefused(body)).toEqual(['body.tools.1.type', 'body.input.1.tools.3.type']);
  });
});
