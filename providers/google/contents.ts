/** Translates the conversation of a chat request to Gemini's contents. */
import { type Fields, fieldsIn, fieldsInJson, isFields, textOf } from '../../domain/fields.ts';
import type { UnsupportedFields } from '../../domain/unsupported-fields.ts';
import { partsOf } from './parts.ts';
import { signaturesIn, UNKNOWN_SIGNATURE } from './thoughts.ts';

/** The conversation in Gemini's shape. */
export interface Contents {
  systemInstruction?: { parts: Fields[] };
  contents: { role: 'user' | 'model'; parts: Fields[] }[];
}

/** The facts on which the translation of each message depends. */
interface Conversation {
  unsupported: UnsupportedFields;
  /** True: the model signs and numbers its calls, and refuses those of earlier turns without a signature. */
  signsCalls: boolean;
  namesOfCalls: Map<string, string>;
}

/**
 * Translates a chat's messages. System messages become the instruction; results of tools become parts of the user, and
 * those of one turn stand in one content.
 */
export function toContents(
  messages: readonly Fields[],
  unsupported: UnsupportedFields,
  { signsCalls }: Pick<Conversation, 'signsCalls'>,
): Contents {
  const system: Fields[] = [];
  const contents: Contents['contents'] = [];
  const conversation = { unsupported, signsCalls, namesOfCalls: new Map<string, string>() };
  for (const [i, message] of messages.entries()) {
    const parts = toParts(message, `body.messages.${i}`, conversation);
    const { role: sender } = message;
    if (sender === 'system' || sender === 'developer') {
      system.push(...parts);
      continue;
    }
    const role = sender === 'assistant' ? 'model' : 'user';
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  return system.length === 0 ? { contents } : { systemInstruction: { parts: system }, contents };
}

function toParts(message: Fields, path: string, conversation: Conversation): Fields[] {
  if (message['role'] === 'assistant') return toModelParts(message, path, conversation);
  if (message['role'] === 'tool') return [toResult(message, path, conversation)];
  return partsOf(message['content'], path, conversation.unsupported);
}

function toModelParts(
  message: Fields,
  path: string,
  { unsupported, signsCalls, namesOfCalls }: Conversation,
): Fields[] {
  const { content, refusal, tool_calls: calls, reasoning_details: details } = message;
  const callIds = fieldsIn(calls).map(({ id }) => textOf(id));
  const { ofCalls, ofText } = signaturesIn(details, callIds);
  const texts = partsOf(content ?? refusal, path, unsupported);
  if (ofText !== undefined) {
    const last = texts.at(-1);
    if (last === undefined) texts.push({ text: '', thoughtSignature: ofText });
    else last['thoughtSignature'] = ofText;
  }
  const called = fieldsIn(calls).map((call, i) => {
    const { id, function: described } = call;
    if (!isFields(described)) unsupported.add(`${path}.tool_calls.${i}.type`);
    const { name, arguments: text } = isFields(described) ? described : {};
    namesOfCalls.set(textOf(id), textOf(name));
    // Google asks for the signature of the first call of a turn; parallel calls have none.
    const signature = ofCalls.get(textOf(id)) ?? (signsCalls && i === 0 ? UNKNOWN_SIGNATURE : undefined);
    const args = isFields(text) ? text : (fieldsInJson(textOf(text)) ?? {});
    return {
      functionCall: { ...(signsCalls && { id }), name, args },
      ...(signature !== undefined && { thoughtSignature: signature }),
    };
  });
  return [...texts, ...called];
}

/** Translates the result of a tool. Results need the name of the function, so one without a call is refused. */
function toResult(
  message: Fields,
  path: string,
  { unsupported, signsCalls, namesOfCalls }: Conversation,
): Fields {
  const { tool_call_id: id, name: own, content } = message;
  const name = namesOfCalls.get(textOf(id)) ?? textOf(own);
  if (name === '') unsupported.add(`${path}.tool_call_id`, 'names no call of an earlier message');
  const parts = partsOf(content, path, unsupported);
  const media = parts.filter((part) => !('text' in part));
  const text = parts.map((part) => textOf(part['text'])).join('\n');
  return {
    functionResponse: {
      ...(signsCalls && { id }),
      name,
      // Gemini's results are objects.
      response: fieldsInJson(text) ?? { result: text },
      ...(media.length > 0 && { parts: media }),
    },
  };
}
