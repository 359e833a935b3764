/** Decides what the local upstream answers in a chat, without a model. */
import { createHash } from 'node:crypto';
import { type ChatRequest, textOf } from './chat-request.ts';
import { schemaInstance } from './schema-instance.ts';
import { contextExceeded, tokenize } from './tokens.ts';

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** The content of every choice. */
export interface Composed {
  /** Null if it only calls tools. */
  content: string | null;
  toolCalls: ToolCall[];
  finishReason: 'stop' | 'length' | 'tool_calls';
  completionTokens: number;
}

type Tool = NonNullable<ChatRequest['tools']>[number];

/**
 * Composes the answer to a conversation, by fixed rules that tests can rely on:
 * - It repeats the last message: `You said: …`, and after a tool's result `The tool said: …`.
 * - It calls the tool that `tool_choice` names, or the first one if a call is `required`. Otherwise it calls each tool
 *   that the user's last message mentions; only one without `parallel_tool_calls`. Arguments are a JSON object that
 *   follows the name, or made up from the tool's parameters.
 * - With a `response_format` of JSON it is an object: one that fits the schema, or `{ "echo": … }`.
 * - It ends before the first of `stop`, and at the token limit.
 */
export function composeAnswer(request: ChatRequest): Composed {
  const last = request.messages.at(-1)!;
  const words = textOf(last);
  const called = last.role === 'tool' ? [] : toolsToCall(request, words);
  if (called.length > 0) {
    const toolCalls = called.map((tool, index) => callOf(tool, words, index));
    const completionTokens = toolCalls.reduce(
      (sum, call) => sum + tokenize(call.function.name).length + tokenize(call.function.arguments).length,
      0,
    );
    return { content: null, toolCalls, finishReason: 'tool_calls', completionTokens };
  }
  return { ...cutToSize(request, answerText(request, words)), toolCalls: [] };
}

/** Counts the tokens of the prompt. Throws UpstreamError if the conversation is longer than the context. */
export function promptTokens({ messages }: ChatRequest): number {
  const tokens = messages.reduce(
    (sum, message) => sum + tokenize(textOf(message)).length + TOKENS_PER_MESSAGE,
    0,
  );
  if (tokens > CONTEXT_TOKENS) throw contextExceeded(CONTEXT_TOKENS, tokens, 'messages');
  return tokens;
}

const TOKENS_PER_MESSAGE = 3;
/** The limits of the model in the catalog. */
const MAX_COMPLETION_TOKENS = 16_384;
const CONTEXT_TOKENS = 131_072;

function answerText(request: ChatRequest, words: string): string {
  const { type, json_schema: described } = request.response_format ?? {};
  if (type === 'json_schema') return JSON.stringify(schemaInstance(described?.schema ?? {}, words));
  if (type === 'json_object') return JSON.stringify({ echo: words });
  return request.messages.at(-1)?.role === 'tool' ? `The tool said: ${words}` : `You said: ${words}`;
}

function cutToSize(request: ChatRequest, text: string): Omit<Composed, 'toolCalls'> {
  const stops = [request.stop ?? []].flat();
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at !== -1);
  const tokens = tokenize(text.slice(0, Math.min(text.length, ...ends)));
  const limit = request.max_completion_tokens ?? request.max_tokens ?? MAX_COMPLETION_TOKENS;
  const kept = tokens.slice(0, Math.min(limit, MAX_COMPLETION_TOKENS));
  return {
    content: kept.join(''),
    finishReason: kept.length < tokens.length ? 'length' : 'stop',
    completionTokens: kept.length,
  };
}

function toolsToCall(request: ChatRequest, words: string): Tool[] {
  const tools = request.tools ?? [];
  const choice = request.tool_choice ?? 'auto';
  if (choice === 'none') return [];
  if (choice === 'required') return tools.slice(0, 1);
  if (choice !== 'auto') return tools.filter((tool) => tool.function.name === choice.function.name);
  const mentioned = tools.filter((tool) => words.includes(tool.function.name));
  return request.parallel_tool_calls === false ? mentioned.slice(0, 1) : mentioned;
}

function callOf(tool: Tool, words: string, index: number): ToolCall {
  const { name, parameters } = tool.function;
  const given = argumentsIn(words.slice(words.indexOf(name) + name.length));
  const made = given ?? JSON.stringify(schemaInstance({ type: 'object', ...parameters }, words));
  const digest = createHash('sha256').update(`${name} ${made} ${index}`).digest('hex');
  return { id: `call_${digest.slice(0, 24)}`, type: 'function', function: { name, arguments: made } };
}

/** Returns the JSON object at the start of a text: the shortest prefix up to a closing brace that parses. */
function argumentsIn(text: string): string | undefined {
  const from = text.trimStart();
  if (!from.startsWith('{')) return undefined;
  for (let end = from.indexOf('}'); end !== -1; end = from.indexOf('}', end + 1)) {
    try {
      return JSON.stringify(JSON.parse(from.slice(0, end + 1)));
    } catch {
      // A later brace may close the object.
    }
  }
  return undefined;
}
