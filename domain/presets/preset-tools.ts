export type DialectTool = Readonly<Record<string, unknown>>;

/**
 * Converts a tool of a messages or responses request to a chat tool. Both dialects define functions at the top level,
 * under other names. Server tools stay as they are.
 */
export function toChatTool(tool: DialectTool): DialectTool {
  const { type, name, description, strict, cache_control: cacheControl } = tool;
  const schema = tool['input_schema'];
  // `custom` without a schema is a tool of the responses dialect that takes text instead of fields.
  const isFlatFunction = type === 'function' ? tool['function'] === undefined : schema !== undefined;
  if (!isFlatFunction) return tool;
  return withoutAbsent({
    type: 'function',
    function: withoutAbsent({
      name,
      description,
      parameters: schema ?? tool['parameters'],
      strict,
    }),
    cache_control: cacheControl,
  });
}

const MODES: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' };

/** Converts the tool choice to that of a chat request. */
export function toChatToolChoice(choice: string | DialectTool): unknown {
  if (typeof choice === 'string') return choice;
  const { type, name, ...rest } = choice;
  if (typeof type === 'string' && Object.hasOwn(MODES, type)) return MODES[type];
  if (type === 'tool' || type === 'function') return { type: 'function', function: { name } };
  if (type !== 'allowed_tools') return choice;
  const { mode, tools } = rest as { mode?: unknown; tools?: readonly DialectTool[] };
  return { type, allowed_tools: { mode, tools: tools?.map(toChatToolChoice) } };
}

function withoutAbsent(fields: DialectTool): DialectTool {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
