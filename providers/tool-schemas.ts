/** Gives the tools of requests the schemas that strict vendors require. */
import { type Fields, isFields } from '../domain/fields.ts';
import type { TextRequest } from './chat-adapter.ts';

/** The keywords that describe an object in another place than `properties`. */
const ELSEWHERE = ['$ref', 'anyOf', 'oneOf', 'allOf', 'properties'];

/**
 * Returns a schema of arguments that says that they are an object, as arguments always are. OpenAI, Anthropic and
 * Google reject a schema without `type`, and OpenAI one without `properties`. Clients send `{}` or nothing for a tool
 * without arguments.
 */
function objectSchema(schema: unknown): unknown {
  if (schema !== undefined && schema !== null && !isFields(schema)) return schema;
  const { type, ...rest } = schema ?? {};
  const isTyped = Array.isArray(type) || (typeof type === 'string' && type !== '');
  const isDescribed = (isTyped && type !== 'object') || ELSEWHERE.some((keyword) => rest[keyword] != null);
  if (isTyped && isDescribed) return schema;
  return { ...rest, type: isTyped ? type : 'object', ...(isDescribed ? {} : { properties: {} }) };
}

/** Returns an object whose field is a schema as `objectSchema` makes it; the same object if nothing changes. */
function withSchema(fields: Fields, name: string): Fields {
  const schema = objectSchema(fields[name]);
  return schema === fields[name] ? fields : { ...fields, [name]: schema };
}

/** Returns a chat request whose functions have complete schemas. */
export function withChatSchemas(request: TextRequest): TextRequest {
  const { tools } = request;
  if (!Array.isArray(tools)) return request;
  const complete = mapObjects(tools as unknown[], (tool) => {
    const { function: described } = tool;
    if (!isFields(described)) return tool;
    const changed = withSchema(described, 'parameters');
    return changed === described ? tool : { ...tool, function: changed };
  });
  return complete === tools ? request : { ...request, tools: complete };
}

/** Returns a request in Anthropic's dialect whose own tools have complete schemas. */
export function withMessagesSchemas(request: TextRequest): TextRequest {
  const { tools } = request;
  if (!Array.isArray(tools)) return request;
  const complete = mapObjects(tools as unknown[], (tool) => {
    const { type } = tool;
    // Tools of other types, such as `bash_20250124`, have no schema.
    return type === undefined || type === null || type === 'custom' ? withSchema(tool, 'input_schema') : tool;
  });
  return complete === tools ? request : { ...request, tools: complete };
}

/** Returns a request in the Responses dialect whose functions have complete schemas, also in namespaces and items. */
export function withResponsesSchemas(request: TextRequest): TextRequest {
  const { tools, input } = request;
  const complete = flatTools(tools);
  const items = Array.isArray(input) ? mapObjects(input as unknown[], withTools) : input;
  if (complete === tools && items === input) return request;
  return { ...request, ...(complete === tools ? {} : { tools: complete }), input: items };
}

function flatTools(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools;
  return mapObjects(tools as unknown[], (tool) =>
    tool['type'] === 'function' ? withSchema(tool, 'parameters') : withTools(tool),
  );
}

/** Returns a namespace, or an item that adds tools, with complete schemas. */
function withTools(holder: Fields): Fields {
  const tools = flatTools(holder['tools']);
  return tools === holder['tools'] ? holder : { ...holder, tools };
}

/** Maps the objects of a list; returns the same list if none of them changes. */
function mapObjects(list: unknown[], change: (fields: Fields) => Fields): unknown[] {
  const changed = list.map((item) => (isFields(item) ? change(item) : item));
  return changed.every((item, at) => item === list[at]) ? list : changed;
}
