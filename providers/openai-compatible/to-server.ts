/** Adapts requests to what most servers of OpenAI's wire understand. */
import type { Deviation } from '../../domain/catalog/deviations.ts';
import { type Fields, isFields } from '../../domain/fields.ts';
import type { TextRequest } from '../chat-adapter.ts';

/**
 * Returns the request for a server, without changing the original. Messages of the role `developer` get the role
 * `system`, thoughts go back under both of their names, and the effort of `reasoning` is sent as `reasoning_effort`.
 */
export function toServer(request: TextRequest, deviations: readonly Deviation[]): TextRequest {
  const { messages } = request;
  const sent = deviations.includes('reasoning_object') ? request : withEffort(request);
  if (!Array.isArray(messages)) return sent;
  const adapted = adaptMessages(messages as unknown[], deviations);
  return adapted === messages ? sent : { ...sent, messages: adapted };
}

/** Returns the messages, and the given list when none of them changes. */
function adaptMessages(messages: unknown[], deviations: readonly Deviation[]): unknown[] {
  const knowsDeveloper = deviations.includes('developer_role');
  const takesThoughts = !deviations.includes('no_thoughts');
  let isChanged = false;
  const adapted = messages.map((message) => {
    if (!isFields(message)) return message;
    const changed = withThoughts(knowsDeveloper ? message : withSystemRole(message), takesThoughts);
    isChanged ||= changed !== message;
    return changed;
  });
  return isChanged ? adapted : messages;
}

function withSystemRole(message: Fields): Fields {
  return message['role'] === 'developer' ? { ...message, role: 'system' } : message;
}

/** Returns a message with its thoughts under both names, or without them. */
function withThoughts(message: Fields, takesThoughts: boolean): Fields {
  const { reasoning, reasoning_content: older } = message;
  const thought = typeof reasoning === 'string' ? reasoning : older;
  if (typeof thought !== 'string') return message;
  if (takesThoughts) {
    return reasoning === thought && older === thought
      ? message
      : { ...message, reasoning: thought, reasoning_content: thought };
  }
  const { reasoning: _, reasoning_content: __, reasoning_details: ___, ...rest } = message;
  return rest;
}

/**
 * Returns the request with the effort of `reasoning` under the name that most servers know. Null means absent in every
 * field, and some servers refuse it.
 */
function withEffort(request: TextRequest): TextRequest {
  const { reasoning } = request;
  if (!isFields(reasoning)) return request;
  const { reasoning: _, ...rest } = request;
  const { effort, ...others } = Object.fromEntries(
    Object.entries(reasoning).filter(([, value]) => value !== null && value !== undefined),
  );
  return {
    ...rest,
    ...(typeof effort === 'string' ? { reasoning_effort: rest['reasoning_effort'] ?? effort } : {}),
    ...(Object.keys(others).length === 0 ? {} : { reasoning: others }),
  };
}
