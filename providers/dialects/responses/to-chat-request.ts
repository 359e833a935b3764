/** Translates the options and tools of a responses request to a chat, and refuses fields that would be lost. */
import { responsesDialect, type ResponsesFields } from '../../../domain/presets/preset-dialects.ts';
import type { TextRequest } from '../../chat-adapter.ts';
import { UnsupportedFields, hasContent } from '../../../domain/unsupported-fields.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import { toolListsIn } from './additional-tools.ts';
import { flatChoice, flatTools } from './flat-tools.ts';
import { type FunctionNames, namespacesIn } from './function-names.ts';
import { toChatMessages } from './to-chat-messages.ts';

/**
 * Fields that a chat does not get: the conversation, options of delivery, and options that the gateway does not
 * support.
 */
const NOT_SENT = new Set([
  'input',
  'instructions',
  'stream',
  'stream_options',
  'store',
  'background',
  'previous_response_id',
  'conversation',
  'prompt',
  'include',
  'truncation',
  // Limits calls of hosted tools, which never run.
  'max_tool_calls',
  // Facts that the vendor's own client programs send about themselves.
  'client_metadata',
]);

/**
 * Fields of this dialect without a counterpart in a chat, and fields of a chat whose answers have no place in a
 * response.
 */
const NOT_IN_A_CHAT = [
  'context_management',
  'moderation',
  'messages',
  'n',
  'previous_response_id',
  'conversation',
  'prompt',
] as const;

/**
 * The supported values of `include`, with the chat fields that request them. Encrypted thoughts need no field, because
 * they are always returned.
 */
const INCLUDED = new Map<unknown, Fields>([
  ['reasoning.encrypted_content', {}],
  ['message.output_text.logprobs', { logprobs: true }],
]);

/** Matches the values of `include` that concern hosted tools, which never run. */
const OF_HOSTED_TOOLS = /^(web_search|file_search|code_interpreter)_call\./;

const NAMING_FUNCTIONS = new Set<unknown>(['function', 'allowed_tools']);

const { spellings } = responsesDialect;

/**
 * Translates a responses request to a chat request. Fields that both dialects share, and unknown ones, pass
 * unchanged. Throws UnsupportedFieldsError for fields that would be lost.
 */
export function toChatRequest(request: TextRequest, names: FunctionNames): TextRequest {
  const unsupported = new UnsupportedFields();
  const translated = withFlatTools(request, names, unsupported);
  const fields: Fields = {};
  for (const name in translated) {
    const value = translated[name];
    if (NOT_SENT.has(name)) continue;
    if (!Object.hasOwn(spellings, name)) fields[name] = value;
    else if (value !== null && value !== undefined) Object.assign(fields, translateField(name, translated));
  }
  for (const included of Array.isArray(request['include']) ? request['include'] : [])
    Object.assign(fields, INCLUDED.get(included));
  const messages = toChatMessages(request, names, unsupported);
  addUnsupported(request, unsupported);
  unsupported.throwIfAny();
  return { ...fields, model: request.model, messages };
}

function withFlatTools(
  request: TextRequest,
  names: FunctionNames,
  unsupported: UnsupportedFields,
): TextRequest {
  const { tools: own, tool_choice: choice, parallel_tool_calls: _parallel, ...rest } = request;
  const lists = toolListsIn(request);
  if (lists.length === 1 && namespacesIn(own).length === 0) return request;
  const tools = lists.flatMap(([, list]) => list);
  const flat = flatTools(tools, names);
  if (flat.length > 0) return { ...request, tools: flat, tool_choice: flatChoice(choice, tools, names) };
  // Vendors refuse an empty list of tools, and options about tools without any tool.
  if (hasContent(choice) && choice !== 'auto' && choice !== 'none')
    unsupported.add('body.tool_choice', 'needs a tool that can be called');
  return rest as TextRequest;
}

function translateField(name: string, request: TextRequest): Fields {
  const translate = spellings[name as keyof ResponsesFields] as (value: unknown, body: object) => Fields;
  return translate(request[name], request);
}

function addUnsupported(request: TextRequest, unsupported: UnsupportedFields): void {
  const { truncation, stream_options: options, tool_choice: choice } = request;
  for (const name of NOT_IN_A_CHAT) if (hasContent(request[name])) unsupported.add(`body.${name}`);
  if (hasContent(truncation) && truncation !== 'disabled') unsupported.add('body.truncation');
  addEach(
    request['include'],
    'body.include',
    (value) => INCLUDED.has(value) || OF_HOSTED_TOOLS.test(textOf(value)),
    unsupported,
  );
  addEach(request['modalities'], 'body.modalities', (modality) => modality !== 'audio', unsupported);
  if (isFields(options) && options['include_obfuscation'] === true)
    unsupported.add('body.stream_options.include_obfuscation');
  if (isFields(request['text']))
    for (const name in request['text'])
      if (name !== 'format' && name !== 'verbosity') unsupported.add(`body.text.${name}`);
  for (const [path, tools] of toolListsIn(request)) addTools(tools, path, unsupported);
  if (isFields(choice) && !NAMING_FUNCTIONS.has(choice['type']))
    unsupported.addName('body.tool_choice.type', choice['type']);
}

/** Records tools without a counterpart as unsupported. A namespace may hold functions, but no namespaces. */
function addTools(
  tools: readonly Fields[],
  path: string,
  unsupported: UnsupportedFields,
  inNamespace = false,
): void {
  for (const [index, { type, tools: grouped }] of tools.entries()) {
    const at = `${path}.${index}`;
    if (type === 'namespace' && !inNamespace) addTools(fieldsIn(grouped), `${at}.tools`, unsupported, true);
    else if (type !== 'function') unsupported.addName(`${at}.type`, type);
  }
}

function addEach(
  list: unknown,
  path: string,
  isCarried: (one: unknown) => boolean,
  unsupported: UnsupportedFields,
): void {
  for (const [index, one] of (Array.isArray(list) ? (list as unknown[]) : []).entries())
    if (!isCarried(one)) unsupported.addName(`${path}.${index}`, one);
}
