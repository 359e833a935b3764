/** Validates the tools of responses requests. */
import { z } from 'zod';

/** A tool. Its own type decides which endpoints take it. */
export const responsesTool = z
  .looseObject({ type: z.string() })
  .superRefine(({ type, name, tools }, context) => {
    const refuse = (path: (string | number)[], message: string): void =>
      context.addIssue({ code: 'custom', path, message });
    if (type !== 'function' && type !== 'namespace') return;
    if (!isName(name)) refuse(['name'], 'is required');
    if (type === 'function') return;
    if (!Array.isArray(tools)) return refuse(['tools'], 'must be a list of functions');
    for (const [index, one] of (tools as unknown[]).entries())
      if (!isName((one as { name?: unknown } | null)?.name)) refuse(['tools', index, 'name'], 'is required');
  })
  .meta({
    id: 'ResponsesFunctionTool',
    description:
      'A function, or a `namespace`: a group of functions (`name`, `description`, `tools`). Hosted tools are dropped and listed in `Sluice-Dropped-Tools`.',
  });

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
