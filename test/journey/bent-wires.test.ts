/** Checks that tools and pictures reach vendors of every wire in the form that strict ones accept, in every dialect. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addChatModel } from '../support/catalog.ts';
import { askIn, type DialectName } from '../support/dialect-answers.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { startVendorServer, type VendorServer } from '../support/vendor-server.ts';
import { answerOnAnyWire } from '../support/wires.ts';

type Json = ReturnType<typeof JSON.parse>;

let gateway: Gateway;
let vendor: VendorServer;

beforeAll(async () => {
  vendor = await startVendorServer(answerOnAnyWire);
  const env = { PROVIDER_STRICT_A_API_KEY: 'secret', PROVIDER_STRICT_O_API_KEY: 'secret' };
  gateway = await startGateway({ env });
  const { baseUrl } = vendor;
  await addChatModel(gateway, 'strict/server', [
    { provider: 'strict-s', adapter: 'openai-compatible', baseUrl },
  ]);
  await addChatModel(gateway, 'strict/anthropic', [{ provider: 'strict-a', adapter: 'anthropic', baseUrl }]);
  await addChatModel(gateway, 'strict/openai', [{ provider: 'strict-o', adapter: 'openai', baseUrl }]);
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

/** The field with the schema of a tool in each dialect, and the tool around it. */
const TOOL: Record<DialectName, (schema: object | undefined) => object> = {
  chat: (parameters) => ({ type: 'function', function: { name: 'look', parameters } }),
  messages: (schema) => ({ name: 'look', input_schema: schema }),
  responses: (parameters) => ({ type: 'function', name: 'look', parameters }),
};

/** Returns the schema of the tool that reached the vendor, by the wire's own name. */
function sentSchema(): unknown {
  const { path, body } = vendor.calls.at(-1)!;
  const [tool] = (JSON.parse(body) as Json).tools as Json[];
  if (path.endsWith('/messages')) return tool.input_schema;
  return path.endsWith('/responses') ? tool.parameters : tool.function.parameters;
}

const WHERE = { type: 'object', properties: { where: { type: 'string' } }, required: ['where'] };
const EITHER = { anyOf: [WHERE, { type: 'object', properties: {} }] };
const SCHEMAS: [what: string, given: object | undefined, sent: object][] = [
  ['an empty schema', {}, { type: 'object', properties: {} }],
  ['a schema without properties', { type: 'object' }, { type: 'object', properties: {} }],
  [
    'a schema without a type',
    { properties: WHERE.properties },
    { type: 'object', properties: WHERE.properties },
  ],
  ['a schema whose type is null', { ...WHERE, type: null }, WHERE],
  ['a choice of schemas', EITHER, { ...EITHER, type: 'object' }],
  ['a complete schema', WHERE, WHERE],
];
const ABSENT: [what: string, given: object | undefined, sent: object] = [
  'no schema',
  undefined,
  { type: 'object', properties: {} },
];

describe.each(['strict/server', 'strict/openai', 'strict/anthropic'])('the model %s', (model) => {
  describe.each(Object.keys(TOOL) as DialectName[])('a tool from the dialect %s', (dialect) => {
    // Messages require a schema, as Anthropic does.
    const schemas = dialect === 'messages' ? SCHEMAS : [...SCHEMAS, ABSENT];
    test.each(schemas)('reaches the vendor with an object schema for %s', async (_, given, sent) => {
      for (const stream of [false, true]) {
        const more = { tools: [TOOL[dialect](given)] };
        expect(await askIn(gateway, dialect, model, { stream, more })).toMatchObject({
          status: 200,
          text: 'Hello',
        });
        expect(sentSchema()).toEqual(sent);
      }
    });
  });
});

test('the Responses dialect completes the schemas of tools in namespaces and items', async () => {
  const tools = [{ type: 'namespace', name: 'team', description: 'x', tools: [TOOL.responses({})] }];
  const input = [
    { type: 'additional_tools', role: 'developer', tools: [TOOL.responses(undefined)] },
    { role: 'user', content: 'Hi' },
  ];
  expect(await askIn(gateway, 'responses', 'strict/openai', { more: { tools, input } })).toMatchObject({
    status: 200,
  });
  const sent = JSON.parse(vendor.calls.at(-1)!.body) as Json;
  const complete = { type: 'object', properties: {} };
  expect(sent.tools[0].tools[0].parameters).toEqual(complete);
  expect(sent.input[0].tools[0].parameters).toEqual(complete);
});

test("a vendor's own tools reach it unchanged", async () => {
  const tools = [{ type: 'bash_20250124', name: 'bash' }];
  await askIn(gateway, 'messages', 'strict/anthropic', { more: { tools } });
  expect((JSON.parse(vendor.calls.at(-1)!.body) as Json).tools).toEqual(tools);
});

const JPG = 'data:image/jpg;base64,AAAA';
const JPEG = { url: 'data:image/jpeg;base64,AAAA' };
/** A message with a picture in each dialect. */
const PICTURED: Record<DialectName, object> = {
  chat: { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: JPG } }] }] },
  messages: {
    messages: [
      {
        role: 'user',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/jpg', data: 'AAAA' } }],
      },
    ],
  },
  responses: { input: [{ role: 'user', content: [{ type: 'input_image', image_url: JPG }] }] },
};

describe.each(['strict/server', 'strict/openai', 'strict/anthropic'])('a picture for %s', (model) => {
  test.each(Object.keys(TOOL) as DialectName[])(
    'reaches the vendor from %s as image/jpeg instead of image/jpg',
    async (dialect) => {
      for (const stream of [false, true]) {
        const more = PICTURED[dialect];
        expect(await askIn(gateway, dialect, model, { stream, more })).toMatchObject({ status: 200 });
        const { path, body } = vendor.calls.at(-1)!;
        const { messages, input } = JSON.parse(body) as Json;
        const [part] = (messages ?? input).at(-1).content as Json[];
        if (path.endsWith('/messages'))
          expect(part.source).toMatchObject({ media_type: 'image/jpeg', data: 'AAAA' });
        else if (path.endsWith('/responses')) expect(part.image_url).toBe(JPEG.url);
        else expect(part.image_url).toMatchObject(JPEG);
      }
    },
  );
});

test('a JPEG in a tool result reaches Anthropic as image/jpeg', async () => {
  const source = { type: 'base64', media_type: 'image/jpg', data: 'AAAA' };
  const messages = [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'a', name: 'look', input: { url: JPG, source } }],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source }] }],
    },
  ];
  await askIn(gateway, 'messages', 'strict/anthropic', { more: { messages } });
  const [, call, result] = (JSON.parse(vendor.calls.at(-1)!.body) as Json).messages as Json[];
  expect(result.content[0].content[0].source.media_type).toBe('image/jpeg');
  // The arguments of a call are the caller's own.
  expect(call.content[0].input).toEqual({ url: JPG, source });
});

describe('a conversation with empty texts and invalid ids', () => {
  const ID = 'functions.look:0';
  const called = { type: 'function', function: { name: 'look', arguments: '{}' } };
  const CONVERSATION: Record<DialectName, object> = {
    chat: {
      messages: [
        { role: 'system', content: '' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: '' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'Again' },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [{ id: ID, ...called }] },
        { role: 'tool', tool_call_id: ID, content: 'done' },
      ],
    },
    messages: {
      system: '',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'text', text: '' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'Again' },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: ID, name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: ID, content: 'done' }] },
      ],
    },
    responses: {
      instructions: '',
      input: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'output_text', text: '' }] },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: '' },
            { type: 'input_text', text: 'Again' },
          ],
        },
        { type: 'function_call', call_id: ID, name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: ID, output: 'done' },
      ],
    },
  };

  test.each(Object.keys(CONVERSATION) as DialectName[])(
    'reaches Anthropic from %s without empty texts and with valid ids',
    async (dialect) => {
      for (const stream of [false, true]) {
        const more = CONVERSATION[dialect];
        expect(await askIn(gateway, dialect, 'strict/anthropic', { stream, more })).toMatchObject({
          status: 200,
        });
        const { system, messages } = JSON.parse(vendor.calls.at(-1)!.body) as Json;
        const blocks = (messages as Json[]).flatMap(({ content }) =>
          typeof content === 'string' ? [{ type: 'text', text: content }] : content,
        );
        expect(system).toBeUndefined();
        const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => text);
        expect(texts).toEqual(['Hi', 'Again']);
        const use = blocks.find(({ type }) => type === 'tool_use');
        expect(use.id).toMatch(/^[\w-]{1,64}$/);
        expect(blocks.find(({ type }) => type === 'tool_result').tool_use_id).toBe(use.id);
      }
    },
  );
});
