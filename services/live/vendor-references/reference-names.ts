/**
 * Lists the fields by which a request names an object that a vendor stores under the account of a credential, or an
 * address that the vendor would call itself (ADR 0074).
 */

/** The kinds of references. Each has its own advice for the caller. */
export type ReferenceKind = 'file' | 'container' | 'conversation' | 'item' | 'prompt' | 'object' | 'address';

const OWN_KEY = 'or use your own provider key';

/** The messages to the caller. */
export const MESSAGES: Readonly<Record<ReferenceKind, string>> = {
  file: `names a file that is stored at the provider: send its bytes, ${OWN_KEY}`,
  container: `names a container at the provider: leave it out, ${OWN_KEY}`,
  conversation: `names a conversation that is stored at the provider: send all of it, ${OWN_KEY}`,
  item: `names an item that is stored at the provider: send the item itself, as clients do with store: false, ${OWN_KEY}`,
  prompt: `names a prompt that is stored at the provider: use a preset, ${OWN_KEY}`,
  object: `names an object that is stored at the provider: leave it out, ${OWN_KEY}`,
  address: `names an address that the provider would call: leave it out, ${OWN_KEY}`,
};

/**
 * The names of fields, in lower case with underscores, and where they are documented. They count at any depth. A name
 * that follows a pattern of the vendors (`isIdName`, `isAddressName`) is listed only for its own message.
 *
 * Read on 2026-11-27: the types of `@anthropic-ai/sdk` 1.12.0 (beta messages) and `openai` 6.49.0 (responses, chat,
 * speech), the sources of vLLM and SGLang, x.ai's documentation of `search_parameters`, and the page "Long context
 * (Qwen-Long)" of Alibaba Cloud. Google's names are those of its Gemini and Vertex references, and fal's, Kling's,
 * Luma's and Replicate's those of their webhooks.
 */
// prettier-ignore
const ROWS: readonly (readonly [kind: ReferenceKind, ...names: string[]])[] = [
  ['file',         'file_id', 'file_ids', 'file_uri', 'gcs_uri', 's3_location'],
  // Anthropic's `container` is an id or `{ id, skills }`; OpenAI's code interpreter has one too.
  ['container',    'container', 'container_id'],
  ['conversation', 'previous_response_id', 'conversation', 'conversation_id', 'previous_interaction_id'],
  // Anthropic's `thread` also asks for a conversation to be stored.
  ['conversation', 'thread', 'thread_id'],
  ['prompt',       'prompt_id'],
  // Gemini's explicit cache; the caches of other requests and servers in vLLM; the stored sessions of SGLang.
  ['object',       'cached_content', 'kv_transfer_params', 'ec_transfer_params', 'session_params'],
  ['address',      'mcp_servers', 'server_url', 'connector_id', 'connectors', 'tunnel_id'],
  ['address',      'webhook', 'webhooks', 'webhook_url', 'callback', 'callback_url', 'notify_url'],
  // The feeds of x.ai's search; the peers of vLLM and SGLang.
  ['address',      'search_parameters', 'bootstrap_host', 'remote_host'],
];

/** The kinds of the listed names. */
export const KIND_OF_NAME: ReadonlyMap<string, ReferenceKind> = new Map(
  ROWS.flatMap(([kind, ...names]) => names.map((name) => [name, kind] as const)),
);

/**
 * The fields whose object names what the vendor stores by its `id`: the audio of an earlier answer and a voice of one's
 * own (OpenAI), and media by their ids.
 */
export const HOLDERS_OF_ID: ReadonlySet<string> = new Set([
  'audio',
  'input_audio',
  'voice',
  'file',
  'image',
  'video',
  'document',
  'asset',
]);

/**
 * Fields whose names end like those of stored objects, but whose ids the conversation or the caller made. They load
 * nothing. `previous_message_id` belongs to Anthropic's diagnostics, which compare two prompts; a `thread`, which loads
 * a conversation by it, is listed above.
 */
const HARMLESS_IDS: ReadonlySet<string> = new Set([
  'tool_use_id',
  'tool_call_id',
  'tool_id',
  'call_id',
  'caller_id',
  'item_id',
  'message_id',
  'previous_message_id',
  'approval_request_id',
  'tab_id',
  'download_id',
  'user_id',
  'end_user_id',
  'request_id',
  'client_request_id',
  'trace_id',
  'span_id',
  'parent_span_id',
]);

/** Returns whether vendors would use a name such as `vector_store_ids` for objects that they store. */
export function isIdName(name: string): boolean {
  return /_ids?$/.test(name) && !HARMLESS_IDS.has(name);
}

/** Returns whether vendors would use a name such as `storage_uri` for addresses. */
export function isAddressName(name: string): boolean {
  return /_urls?$|(^|_)(uri|webhook|callback|endpoint|host)s?$/.test(name);
}

/**
 * Fields whose content is data for the model or for the caller, with names that the caller chose: schemas, arguments of
 * tools, and notes. No vendor reads references in them.
 */
const FREE_FORM: ReadonlySet<string> = new Set([
  'metadata',
  'client_metadata',
  'schema',
  'arguments',
  'input_examples',
  'guided_json',
  'chat_template_kwargs',
  'env',
  'logit_bias',
]);

/**
 * Returns whether a field of an object inside of a request holds data with names that the caller chose. The
 * vendor reads references in `input` and `parameters` of the request itself.
 */
export function isFreeForm(
  name: string,
  holder: Readonly<Record<string, unknown>>,
  isRequest: boolean,
): boolean {
  if (isRequest && (name === 'parameters' || name === 'input')) return false;
  if (name === 'parameters') return typeof holder['name'] === 'string';
  if (name === 'input') return typeof holder['type'] === 'string' && holder['type'].endsWith('tool_use');
  return FREE_FORM.has(name) || name.endsWith('_schema');
}

/** The fields of a request that hold a conversation. Servers read media in its parts. */
const CONVERSATIONS: ReadonlySet<string> = new Set(['messages', 'input', 'system', 'instructions']);

export function isConversation(name: string): boolean {
  return CONVERSATIONS.has(name);
}

/** Fields of answers that say where a text was found and how likely it was. Nobody calls the URLs in them. */
const NOTES: ReadonlySet<string> = new Set([
  'citations',
  'annotations',
  'action',
  'results',
  'sources',
  'search_results',
  'logprobs',
]);

export function isNote(name: string): boolean {
  return NOTES.has(name);
}
