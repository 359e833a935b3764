/** Translates the conversation of a chat request to Gemini's contents. */
import { type Fields, fieldsIn, isFields, textOf } from '../../domain/fields.ts';
import type { UnsupportedFields } from '../../domain/unsupported-fields.ts';
import { partsOf } from './parts.ts';
import { signaturesIn, UNKNOWN_SIGNATURE } from './thoughts.ts';

/** The conversation in Gemini's shape. */
export interface Contents {
  systemInstruction?: { parts: Fields[] };
  contents: { role: 'user' | 'model'; parts: Fields[] }[];
}

/** Describes the model, as far as the translation depends on it. */
export interface ModelFacts {
  /** True: the model signs and numbers its calls, and refuses those of earlier turns without a signature. */
  signsCalls: boolean;
}

/**
 * Translates a chat's messages. System messages become the instruction; results of tools become parts of the user, and
 * those of one turn stand in one content.
 */
export function toContents(
  messages: readonly Fields[],
  unsupported: UnsupportedFields,
  facts: ModelFacts,
): Contents {
  const system: Fields[] = [];
  const contents: Contents['contents'] = [];
  const namesOfCalls = new Map<string, string>();
  const add = (role: 'user' | 'model', parts: Fields[]): void => {
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  };
  for (const [i, message] of messages.entries()) {
    const path = `body.messages.${i}`;
    const { role, content } = message;
    if (role === 'system' || role === 'developer') system.push(...partsOf(content, path, unsupported));
    else if (role === 'assistant')
      add('model', toModelParts(message, path, unsupported, namesOfCalls, facts));
    else if (role === 'tool') add('user', [toResult(message, path, unsupported, namesOfCalls, facts)]);
    else add('user', partsOf(content, path, unsupported));
  }
  return system.length === 0 ? { contents } : { systemInstruction: { parts: system }, contents };
}

function toModelParts(
  message: Fields,
  path: string,
  unsupported: UnsupportedFields,
  namesOfCalls: Map<string, string>,
  { signsCalls }: ModelFacts,
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
    return {
      functionCall: { ...(signsCalls && { id }), name, args: argumentsIn(text) },
      ...(signature !== undefined && { thoughtSignature: signature }),
    };
  });
  return [...texts, ...called];
}

function argumentsIn(text: unknown): unknown {
  if (isFields(text)) return text;
  try {
    const parsed: unknown = JSON.parse(textOf(text));
    return isFields(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** Translates the result of a tool. Results need the name of the function, so one without a call is refused. */
function toResult(
  message: Fields,
  path: string,
  unsupported: UnsupportedFields,
  namesOfCalls: ReadonlyMap<string, string>,
  { signsCalls }: ModelFacts,
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
      response: resultIn(text),
      ...(media.length > 0 && { parts: media }),
    },
  };
}

/** Returns a result that is a JSON object as it is; Gemini's results are objects. */
function resultIn(text: string): Fields {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isFields(parsed)) return parsed;
  } catch {
    // Most results are plain texts.
  }
  return { result: text };
}
