import { describe, expect, test } from '@jest/globals';
import { urlsIn } from '../../../../services/live/urls/url-places.ts';
import { findReferences } from '../../../../services/live/vendor-references/find-references.ts';

/** Returns the paths of the references in a request whose conversation is in these fields, as in most dialects. */
function pathsIn(given: object): string[] {
  const body = { ...given };
  const fetched = urlsIn(body, { hasMedia: true }, ['system', 'messages', 'input']);
  return findReferences(body, fetched).map(({ path }) => path);
}

const said = (content: unknown, role = 'user') => ({ messages: [{ role, content }] });
const inInput = (...input: object[]) => ({ input });
const withTool = (tool: object) => ({ tools: [tool] });

describe('findReferences', () => {
  test.each<[string, object, string]>([
    // Anthropic
    [
      'document',
      said([{ type: 'document', source: { type: 'file', file_id: 'f' } }]),
      'body.messages.0.content.0.source.file_id',
    ],
    [
      'image in the result of a tool',
      said([
        { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { file_id: 'f' } }] },
      ]),
      'body.messages.0.content.0.content.0.source.file_id',
    ],
    ['upload', said([{ type: 'container_upload', file_id: 'f' }]), 'body.messages.0.content.0.file_id'],
    ['container by its id', { container: 'container_1' }, 'body.container'],
    [
      'container with skills',
      { container: { skills: [{ type: 'custom', skill_id: 's' }] } },
      'body.container',
    ],
    [
      'MCP server',
      { mcp_servers: [{ type: 'url', url: 'https://a.example', name: 'a' }] },
      'body.mcp_servers',
    ],
    [
      'thread that is continued',
      { thread: { type: 'continue', previous_message_id: 'msg_1' } },
      'body.thread',
    ],
    ['thread that is to be stored', { thread: { type: 'create' } }, 'body.thread'],
    ['profile', { user_profile_id: 'uprof_1' }, 'body.user_profile_id'],
    // OpenAI
    [
      'file of a chat',
      said([{ type: 'file', file: { file_id: 'f' } }]),
      'body.messages.0.content.0.file.file_id',
    ],
    [
      'audio of an earlier answer',
      { messages: [{ role: 'assistant', audio: { id: 'a' } }] },
      'body.messages.0.audio.id',
    ],
    ['voice of the account', { audio: { format: 'wav', voice: { id: 'v' } } }, 'body.audio.voice.id'],
    ['earlier response', { previous_response_id: 'resp_1' }, 'body.previous_response_id'],
    ['conversation', { conversation: { id: 'conv_1' } }, 'body.conversation'],
    ['stored prompt', { prompt: { id: 'pmpt_1', variables: { a: 'b' } } }, 'body.prompt'],
    ['item by reference', inInput({ type: 'item_reference', id: 'x' }), 'body.input.0.type'],
    ['thought by its id', inInput({ type: 'reasoning', id: 'rs_1', summary: [] }), 'body.input.0.id'],
    ['picture by its id', inInput({ type: 'image_generation_call', id: 'ig_1' }), 'body.input.0.id'],
    [
      'screenshot',
      inInput({ type: 'computer_call_output', output: { file_id: 'f' } }),
      'body.input.0.output.file_id',
    ],
    [
      'vector store',
      withTool({ type: 'file_search', vector_store_ids: ['vs'] }),
      'body.tools.0.vector_store_ids',
    ],
    [
      'code container',
      withTool({ type: 'code_interpreter', container: { type: 'auto' } }),
      'body.tools.0.container',
    ],
    ['MCP tool', withTool({ type: 'mcp', server_url: 'https://a.example' }), 'body.tools.0.server_url'],
    ['connector', withTool({ type: 'mcp', connector_id: 'connector_x' }), 'body.tools.0.connector_id'],
    ['tunnel', withTool({ type: 'mcp', tunnel_id: 't' }), 'body.tools.0.tunnel_id'],
    [
      'tool in an item of the input',
      inInput({ type: 'additional_tools', tools: [{ type: 'mcp', server_url: 'https://a.example' }] }),
      'body.input.0.tools.0.server_url',
    ],
    // Others
    [
      'cache of Gemini',
      { extra_body: { google: { cached_content: 'cachedContents/1' } } },
      'body.extra_body.google.cached_content',
    ],
    [
      'name in camel case',
      said([{ fileData: { fileUri: 'https://g.example/f' } }]),
      'body.messages.0.content.0.fileData.fileUri',
    ],
    ['name in mixed case', said([{ file_iD: 'f' }]), 'body.messages.0.content.0.file_iD'],
    ['name in capitals', { FILE_ID: 'f' }, 'body.FILE_ID'],
    ['name of a new object in mixed case', { notebook_iD: 'nb_1' }, 'body.notebook_iD'],
    [
      'file in an input beside the type of a call',
      { type: 'tool_use', ...inInput({ type: 'input_file', file_id: 'f' }) },
      'body.input.0.file_id',
    ],
    [
      'file in the parameters of a request beside a name',
      { name: 'f', parameters: { file_id: 'f' } },
      'body.parameters.file_id',
    ],
    [
      'file in the input of options beside the type of a call',
      { provider: { options: { openai: { type: 'tool_use', input: [{ file_id: 'f' }] } } } },
      'body.provider.options.openai.input.0.file_id',
    ],
    ['file in a system prompt', said('fileid://file-fe-1', 'system'), 'body.messages.0.content'],
    [
      'file in parts of a system prompt',
      said([{ type: 'text', text: 'fileid://f' }], 'system'),
      'body.messages.0.content',
    ],
    ['file in instructions', { instructions: 'fileid://file-fe-1' }, 'body.instructions'],
    [
      'cache of another server',
      { kv_transfer_params: { remote_host: '10.0.0.1' } },
      'body.kv_transfer_params',
    ],
    ['peer', { bootstrap_host: '10.0.0.1' }, 'body.bootstrap_host'],
    [
      'feed of a search',
      { search_parameters: { sources: [{ type: 'rss', links: ['https://a.example'] }] } },
      'body.search_parameters',
    ],
    ['webhook', { webhook: 'https://a.example' }, 'body.webhook'],
    ['tool by its address', withTool({ type: 'mcp_server', url: 'https://a.example' }), 'body.tools.0.url'],
    // What no vendor has yet
    ['object of an unknown kind', { notebook_id: 'nb_1' }, 'body.notebook_id'],
    ['list of objects of an unknown kind', { memory: { shelf_ids: ['s'] } }, 'body.memory.shelf_ids'],
    [
      'address of an unknown kind',
      { report: { progress_url: 'https://a.example' } },
      'body.report.progress_url',
    ],
    // Options for one provider
    [
      'file in options',
      { provider: { options: { claude: { messages: [{ content: [{ file_id: 'f' }] }] } } } },
      'body.provider.options.claude.messages.0.content.0.file_id',
    ],
    [
      'webhook in options',
      { provider: { options: { replicate: { webhook: 'https://a.example' } } } },
      'body.provider.options.replicate.webhook',
    ],
  ])('finds the reference: %s', (_what, body, path) => {
    expect(pathsIn(body)).toEqual([path]);
  });

  test('reports each field, up to fifty', () => {
    expect(pathsIn({ file_id: 'f', ...said([{ file_id: 'f' }]) })).toHaveLength(2);
    expect(pathsIn(said(Array.from({ length: 200 }, () => ({ file_id: 'f' }))))).toHaveLength(50);
  });
});

describe('a request without references', () => {
  const schema = { type: 'object', properties: { file_id: { type: 'string' }, url: { type: 'string' } } };
  test.each<[string, object]>([
    ['a text that looks like one', said('file_id: file-1, https://a.example')],
    ['a user’s text about a scheme', said('What is fileid://?')],
    ['null', { container: null, previous_response_id: null, mcp_servers: [] }],
    ['a prompt that is text', { prompt: 'A sluice' }],
    ['the schema of a function', withTool({ type: 'function', function: { name: 'f', parameters: schema } })],
    ['the schema of a tool', withTool({ name: 'f', input_schema: schema })],
    ['the schema of an answer', { output_config: { format: { type: 'json_schema', schema } } }],
    [
      'the input of a tool',
      said([{ type: 'tool_use', id: 't', name: 'f', input: { file_id: 'f', document_ids: ['d'] } }]),
    ],
    [
      'the arguments of a tool',
      inInput({ type: 'tool_search_call', call_id: 'c', arguments: { file_id: 'f' } }),
    ],
    ['the id of a call', { messages: [{ role: 'tool', tool_call_id: 'c', content: 'x' }] }],
    ['a citation without a file', said([{ type: 'text', text: 'x', citations: [{ file_id: null }] }])],
    [
      'an address in a citation',
      said([{ type: 'text', text: 'x', citations: [{ url: 'https://a.example' }] }]),
    ],
    ['media by URL', said([{ type: 'image_url', image_url: { url: 'https://a.example/a.png' } }])],
    [
      'a file by URL',
      inInput({ role: 'user', content: [{ type: 'input_file', file_url: 'https://a.example' }] }),
    ],
    ['a document by URL', said([{ type: 'document_url', document_url: 'https://a.example' }])],
    ['an image by URL', said([{ type: 'image', source: { type: 'url', url: 'https://a.example' } }])],
    [
      'a thought with its text',
      inInput({ type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'x' }] }),
    ],
    ['a sealed thought', inInput({ type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'x' })],
    [
      'notes of the caller',
      { metadata: { file_id: 'f', user_id: 'u' }, client_metadata: { thread_id: 't' } },
    ],
    ['a field for the gateway only', { session_id: 's', trace: { trace_id: 't' }, user: 'u' }],
    ['a list of tokens', { stop_token_ids: [1, 2], input: [[1, 2]] }],
    ['the message before, for a diagnosis', { diagnostics: { previous_message_id: 'gen-1' } }],
  ])('may contain %s', (_what, body) => {
    expect(pathsIn(body)).toEqual([]);
  });
});
